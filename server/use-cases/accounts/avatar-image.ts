/**
 * Converts an uploaded picture into the stored format (U-01 to U-04). It is decoded and encoded again, so that only its pixels are ever
 * served: no SVG, no HTML, no EXIF and no appended data. A separate process decodes it, and refuses another format and more pixels than the
 * header declares.
 */
import { maxAspect, maxPixels, readImageSize } from '#domain/images.ts'
import { decodePicture } from '#server/drivers/pictures/decoder.ts'
import { createValidationProblem, ProblemError, createUnavailableProblem } from '#server/problems/problem-error.ts'
import { queueDecoding } from '#server/use-cases/decoding-queue.ts'

export interface AvatarImage {
  type: 'image/webp'
  bytes: Uint8Array
}

const maxWaiting = { total: 20, perUser: 2 }

let waitingCount = 0
const waitingCountsByUser = new Map<number, number>()

async function decodeWithinLimits<T>(userId: number, work: () => Promise<T>): Promise<T> {
  const ownCount = waitingCountsByUser.get(userId) ?? 0
  // The limit per user prevents slow pictures of one user from blocking all other users.
  if (waitingCount >= maxWaiting.total || ownCount >= maxWaiting.perUser)
    throw new ProblemError('RATE_LIMITED', null, 2)
  waitingCount += 1
  waitingCountsByUser.set(userId, ownCount + 1)
  return queueDecoding(work).finally(() => {
    waitingCount -= 1
    const remainingCount = (waitingCountsByUser.get(userId) ?? 1) - 1
    if (remainingCount > 0) waitingCountsByUser.set(userId, remainingCount)
    else waitingCountsByUser.delete(userId)
  })
}

/**
 * Returns a square of `avatarSide`, cut from the middle. Throws UNSUPPORTED_TYPE, RATE_LIMITED, or VALIDATION_ERROR if it has too many
 * pixels or one side is too long.
 */
export async function makeAvatar(file: Uint8Array, userId: number): Promise<AvatarImage> {
  const size = readImageSize(file)
  if (!size || size.width === 0 || size.height === 0) throw new ProblemError('UNSUPPORTED_TYPE')
  const { width, height } = size
  if (width * height > maxPixels)
    throw createValidationProblem([{ field: 'avatar', code: 'OUT_OF_RANGE', limit: maxPixels }])
  if (Math.max(width, height) > maxAspect * Math.min(width, height))
    throw createValidationProblem([{ field: 'avatar', code: 'OUT_OF_RANGE', limit: maxAspect }])
  const bytes = await decodeWithinLimits(userId, () =>
    decodePicture(file, size).catch(() => Promise.reject(createUnavailableProblem(5))),
  )
  if (bytes === null) throw new ProblemError('UNSUPPORTED_TYPE')
  return { type: 'image/webp', bytes }
}
