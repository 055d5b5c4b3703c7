/** Serves icons and change logs of apps. Anyone who knows the name of a file, which cannot be guessed, can read it. */
import { findResource } from '#server/db/catalogue/web-resources.ts'
import { readAsSystem } from '#server/db/transaction.ts'
import { changeLogPolicy } from '#server/drivers/packages/change-log-style.ts'
import type { AppContext } from '#server/context/context.ts'
import { requireRow } from '#server/problems/problem-error.ts'

const yearSeconds = 31_536_000

/** The content type depends only on what is stored, and not on the request (U-15). Throws NOT_FOUND. */
export async function readResource(
  app: AppContext,
  id: string,
): Promise<{ body: Uint8Array; headers: Record<string, string> }> {
  const resource = requireRow(await readAsSystem(app, (db) => findResource(db, id)))
  const isPage = resource.kind === 'changelog'
  return {
    body: resource.bytes,
    headers: {
      'content-type': resource.type,
      'cache-control': `public, max-age=${yearSeconds}, immutable`,
      'content-disposition': 'inline',
      'content-security-policy': isPage
        ? changeLogPolicy
        : "default-src 'none'; base-uri 'none'; sandbox; frame-ancestors 'none'",
      // The portal's own pages show a change log in a frame.
      ...(isPage ? { 'x-frame-options': 'SAMEORIGIN' } : {}),
    },
  }
}
