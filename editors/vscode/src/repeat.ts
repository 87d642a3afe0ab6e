/** Repeats requests that the server drops. */
import * as vscode from 'vscode';
import { LSPErrorCodes, ResponseError } from 'vscode-languageclient/node';

/**
 * Sends a request up to `most` times, until the server does not drop it. The server drops requests when the text, trust or the
 * settings change meanwhile, and when the user cancels the work, so `most` is small.
 */
export async function repeated<T>(most: number, send: () => Promise<T>, token?: vscode.CancellationToken): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await send();
    } catch (error) {
      if (tries >= most || token?.isCancellationRequested || !isDropped(error)) {
        throw error;
      }
    }
  }
}

function isDropped(error: unknown): boolean {
  const codes: number[] = [LSPErrorCodes.RequestCancelled, LSPErrorCodes.ServerCancelled, LSPErrorCodes.ContentModified];
  return error instanceof vscode.CancellationError || (error instanceof ResponseError && codes.includes(error.code));
}
