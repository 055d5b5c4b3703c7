/**
 * A picture as we keep it (U-01 to U-04): decoded and written anew, so that nothing of what was sent but its pixels is ever
 * served: no SVG, no HTML, no EXIF, nothing that hung behind it. It is decoded in a process of its own, which meets neither
 * another format nor more pixels than the file's head was seen to say.
 */
import { maxAspect, maxPixels, readImageSize } from '#domain/images.ts'
import { decodePicture } from '#server/drivers/pictures/decoder.ts'
import { invalid, ProblemError, unavailable } from '#server/problems/problem-error.ts'
import { decodeInTurn } from '#server/use-cases/decoding-queue.ts'

export interface Picture {
  type: 'image/webp'
  bytes: Uint8Array
}

const maxWaiting = { ofAll: 20, ofUser: 2 }

let waiting = 0
const waitingOf = new Map<number, number>()

async function inTurn<T>(userId: number, work: () => Promise<T>): Promise<T> {
  const own = waitingOf.get(userId) ?? 0
  // Whoever sends nothing but pictures that take long does not hold up all others.
  if (waiting >= maxWaiting.ofAll || own >= maxWaiting.ofUser) throw new ProblemError('RATE_LIMITED', null, 2)
  waiting += 1
  waitingOf.set(userId, own + 1)
  return decodeInTurn(work).finally(() => {
    waiting -= 1
    const left = (waitingOf.get(userId) ?? 1) - 1
    if (left > 0) waitingOf.set(userId, left)
    else waitingOf.delete(userId)
  })
}

/**
 * A square of `avatarSide`, from the middle where it was none. Throws UNSUPPORTED_TYPE, VALIDATION_ERROR for too many pixels or
 * too long a side, and RATE_LIMITED.
 */
export async function makeAvatar(file: Uint8Array, userId: number): Promise<Picture> {
  const size = readImageSize(file)
  if (!size || size.width === 0 || size.height === 0) throw new ProblemError('UNSUPPORTED_TYPE')
  const { width, height } = size
  if (width * height > maxPixels) throw invalid([{ field: 'avatar', code: 'OUT_OF_RANGE', limit: maxPixels }])
  if (Math.max(width, height) > maxAspect * Math.min(width, height))
    throw invalid([{ field: 'avatar', code: 'OUT_OF_RANGE', limit: maxAspect }])
  const bytes = await inTurn(userId, () => decodePicture(file, size).catch(() => Promise.reject(unavailable(5))))
  if (bytes === null) throw new ProblemError('UNSUPPORTED_TYPE')
  return { type: 'image/webp', bytes }
}
