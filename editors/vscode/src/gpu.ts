/** The command that selects the GPU for which figures are predicted. */

import * as vscode from 'vscode';
import { writeSetting } from './setting';

/** A GPU that the setting offers. `gpu` is the value of the setting, empty for the default. */
interface Choice extends vscode.QuickPickItem {
  gpu: string;
}

/** The values of `warplens.gpu` in the manifest, which are generated from the machine data. */
function choices(context: vscode.ExtensionContext): Choice[] {
  const groups = context.extension.packageJSON.contributes.configuration as {
    properties: Record<string, { enum?: string[]; enumDescriptions?: string[] }>;
  }[];
  const gpu = groups.map((group) => group.properties['warplens.gpu']).find((setting) => setting !== undefined);
  const now = vscode.workspace.getConfiguration('warplens').get<string>('gpu', '');
  return (gpu?.enum ?? []).map((name, index) => ({
    gpu: name,
    label: `${name === now ? '$(check) ' : ''}${name === '' ? 'automatic' : name}`,
    description: gpu?.enumDescriptions?.[index] ?? '',
  }));
}

export async function selectGpu(context: vscode.ExtensionContext): Promise<void> {
  const chosen = await vscode.window.showQuickPick(choices(context), {
    title: 'The GPU that the numbers are for',
    matchOnDescription: true,
  });
  if (chosen) {
    const value = chosen.gpu === '' ? undefined : chosen.gpu;
    // The GPU is a setting of the folder, because the figures in a folder are for one GPU.
    await writeSetting('gpu', value, true);
  }
}
