/** A package as it can be published: what is in it, its icon decoded and written anew. */
import { faultOf, type MappFault } from '#domain/catalogue/mapp.ts'
import { readImageSize } from '#domain/images.ts'
import { readPackageFile } from '#server/drivers/packages/package-reader.ts'
import type { PackageContent } from '#server/drivers/packages/read-package.ts'
import { decodePicture } from '#server/drivers/pictures/decoder.ts'
import { decodeInTurn } from '#server/use-cases/decoding-queue.ts'
import { createTurns } from '#server/use-cases/uploads/turns.ts'

export type Mapp = PackageContent
export type ReadMapp = { content: Mapp } | { fault: MappFault }

// The largest package that is let in takes three seconds of a core, a hostile one twenty.
const takeTurn = createTurns({ slowAfterMs: 5_000, maxSlow: 2 })

/** In `icon` is a WebP then. Rejects where the file cannot be opened or no process be started. */
export const readMapp = (path: string): Promise<ReadMapp> => takeTurn(() => readNow(path))

async function readNow(path: string): Promise<ReadMapp> {
  const read = await readPackageFile(path)
  if ('fault' in read || read.content.icon === null) return read
  const { icon } = read.content
  const size = readImageSize(icon)
  const picture = size && (await decodeInTurn(() => decodePicture(icon, size)))
  return picture ? { content: { ...read.content, icon: picture } } : { fault: faultOf('ICON_NO_PNG') }
}
