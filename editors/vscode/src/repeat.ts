/** Repeats requests that the server drops. */
import * as vscode from 'vscode';
import { LSPErrorCodes, ResponseError } from 'vscode-languageclient/node';

const MOST_TRIES = 5;

/** Sends a request, and repeats it if the server drops it, as it does when the text, trust or settings change meanwhile. */
export async function repeated<T>(send: () => Promise<T>, token?: vscode.CancellationToken): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await send();
    } catch (error) {
      if (tries === MOST_TRIES || token?.isCancellationRequested || !isDropped(error)) {
        throw error;
      }
    }
  }
}

function isDropped(error: unknown): boolean {
  const codes: number[] = [LSPErrorCodes.RequestCancelled, LSPErrorCodes.ServerCancelled, LSPErrorCodes.ContentModified];
  return error instanceof vscode.CancellationError || (error instanceof ResponseError && codes.includes(error.code));
}
