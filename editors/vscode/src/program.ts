/** Search for the server's program, with a check of its version. */

import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import * as vscode from 'vscode';

/** A program that has printed its version. */
export interface Program {
  path: string;
  /** The line that it prints: `warplens 0.1.0`. */
  version: string;
  /** How it was found, as the end of a sentence: `found on PATH`. */
  found: string;
}

const NAME = process.platform === 'win32' ? 'warplens.exe' : 'warplens';
/** Time limit for `--version`, in ms. A program that takes longer is not the server. */
const PATIENCE_MS = 10_000;

function isThere(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the program of the setting, otherwise the one that comes with the extension, otherwise the first one on PATH. Throws if it is
 * missing.
 */
function candidate(context: vscode.ExtensionContext): { path: string; found: string } {
  const configured = vscode.workspace.getConfiguration('warplens').get<string>('server.path', '').trim();
  if (configured !== '') {
    const path = configured.replace(/^~(?=$|[/\\])/, homedir());
    if (!isAbsolute(path)) {
      throw new Error(`\`warplens.server.path\` is "${configured}"; expected an absolute path or one that starts with ~`);
    }
    if (!isThere(path)) {
      throw new Error(`\`warplens.server.path\` is "${configured}", which is not an executable file`);
    }
    return { path, found: 'set by `warplens.server.path`' };
  }
  const bundled = context.asAbsolutePath(join('server', NAME));
  if (isThere(bundled)) {
    return { path: bundled, found: 'came with the extension' };
  }
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    // Empty and relative entries would refer to the open folder, which may not be trusted.
    if (isAbsolute(folder) && isThere(join(folder, NAME))) {
      return { path: join(folder, NAME), found: 'found on PATH' };
    }
  }
  throw new Error('no program `warplens` in the extension or on PATH; install it, or set `warplens.server.path`');
}

/** Finds the server's program and reads its version. Throws an error whose message is a sentence about what is missing. */
export async function findProgram(context: vscode.ExtensionContext): Promise<Program> {
  const { path, found } = candidate(context);
  const version = await new Promise<string>((resolve, reject) => {
    execFile(path, ['--version'], { timeout: PATIENCE_MS }, (error, stdout, stderr) => {
      if (error) {
        const said = stderr.trim().split('\n')[0];
        reject(new Error(`\`${path} --version\` (${found}) failed: ${said || error.message}`));
      } else if (!/^warplens \d/.test(stdout)) {
        reject(new Error(`\`${path} --version\` (${found}) printed "${stdout.trim().split('\n')[0]}"; expected "warplens" and a version`));
      } else {
        resolve(stdout.trim());
      }
    });
  });
  return { path, version, found };
}
