import { createMappFault, type MappFault } from '#domain/catalogue/mapp.ts'
import { readImageSize } from '#domain/images.ts'
import { readPackageFile } from '#server/drivers/packages/package-reader.ts'
import type { PackageContent } from '#server/drivers/packages/read-package.ts'
import { decodePicture } from '#server/drivers/pictures/decoder.ts'
import type { AppContext } from '#server/context/context.ts'
import { queueDecoding } from '#server/use-cases/decoding-queue.ts'
import { createTurns } from '#server/use-cases/uploads/turns.ts'
import { withUploadFile } from '#server/use-cases/uploads/upload-files.ts'

export type MappContent = PackageContent
export type MappReading = { content: MappContent } | { fault: MappFault }

// Reading the largest permitted package takes three seconds of CPU time, and a hostile one twenty. So after five seconds a reading no
// longer delays the next ones.
const runInTurn = createTurns({ slowAfterMs: 5_000, maxSlow: 2 })

/** The returned `icon` is a WebP. Rejects if the file cannot be opened, or no process can be started. */
export const readMapp = (path: string): Promise<MappReading> => runInTurn(() => readAndDecode(path))

/** Like `readMapp`. A copy from a bucket is made in the same turn, so only few copies exist at a time. */
export const readUploadedMapp = (app: AppContext, uploadId: string): Promise<MappReading> =>
  runInTurn(() => withUploadFile(app, uploadId, readAndDecode))

async function readAndDecode(path: string): Promise<MappReading> {
  const readResult = await readPackageFile(path)
  if ('fault' in readResult || readResult.content.icon === null) return readResult
  const { icon } = readResult.content
  const size = readImageSize(icon)
  const picture = size && (await queueDecoding(() => decodePicture(icon, size)))
  return picture ? { content: { ...readResult.content, icon: picture } } : { fault: createMappFault('ICON_NO_PNG') }
}
