/** Where the server's program is, and whether it is one. */

import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import * as vscode from 'vscode';

/** A program that has said its version. */
export interface Program {
  path: string;
  /** As it says it: `warplens 0.1.0`. */
  version: string;
  /** Where it was found, as the end of a sentence. */
  found: string;
}

const NAME = process.platform === 'win32' ? 'warplens.exe' : 'warplens';
/** A program that has not said its version by then is not the server. */
const PATIENCE_MS = 10_000;

function isThere(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The path of the settings, then the one beside the extension, then those on PATH. */
function candidate(context: vscode.ExtensionContext): { path: string; found: string } {
  const configured = vscode.workspace.getConfiguration('warplens').get<string>('server.path', '').trim();
  if (configured !== '') {
    const path = configured.replace(/^~(?=$|[/\\])/, homedir());
    if (!isAbsolute(path)) {
      throw new Error(`\`warplens.server.path\` is "${configured}"; expected an absolute path or one that starts with ~`);
    }
    if (!isThere(path)) {
      throw new Error(`\`warplens.server.path\` is "${configured}", but there is no executable program`);
    }
    return { path, found: 'set by `warplens.server.path`' };
  }
  const bundled = context.asAbsolutePath(join('server', NAME));
  if (isThere(bundled)) {
    return { path: bundled, found: 'came with the extension' };
  }
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    // An empty entry or a relative one would mean the folder that is open, whoever wrote it.
    if (isAbsolute(folder) && isThere(join(folder, NAME))) {
      return { path: join(folder, NAME), found: 'found on PATH' };
    }
  }
  throw new Error('no program `warplens` in the extension or on PATH; install it, or set `warplens.server.path`');
}

/** The server's program; an error says in one sentence what is missing. */
export async function findProgram(context: vscode.ExtensionContext): Promise<Program> {
  const { path, found } = candidate(context);
  const version = await new Promise<string>((resolve, reject) => {
    execFile(path, ['--version'], { timeout: PATIENCE_MS }, (error, stdout, stderr) => {
      if (error) {
        const said = stderr.trim().split('\n')[0];
        reject(new Error(`\`${path} --version\` (${found}) failed: ${said || error.message}`));
      } else if (!/^warplens \d/.test(stdout)) {
        reject(new Error(`\`${path} --version\` (${found}) says "${stdout.trim().split('\n')[0]}"; expected "warplens" and a version`));
      } else {
        resolve(stdout.trim());
      }
    });
  });
  return { path, version, found };
}
