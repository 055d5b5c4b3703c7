/**
 * A picture as we keep it (U-01 to U-04): decoded and written anew, so that nothing of what was sent but its pixels is ever
 * served: no SVG, no HTML, no EXIF, nothing that hung behind it. The decoder is Rust's own, and meets neither another
 * format nor more pixels than the file's head was seen to say.
 */
import { avatarSide, mostPixels, readImageSize } from '#domain/images.ts'
import { invalid, ProblemError } from '#server/problem.ts'

export interface Picture {
  type: 'image/webp'
  bytes: Uint8Array
}

const quality = 85
const mostWaiting = 20

// One at a time: decoding takes up to 64 MB, and the cores are needed for answers.
let last: Promise<unknown> = Promise.resolve()
let waiting = 0

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (waiting >= mostWaiting) throw new ProblemError('RATE_LIMITED', null, 2)
  waiting += 1
  const turn = last.then(work)
  last = turn.catch(() => undefined)
  return turn.finally(() => (waiting -= 1))
}

/** A square of `avatarSide`, from the middle where it was none. Throws UNSUPPORTED_TYPE, and VALIDATION_ERROR for too many. */
export async function makeAvatar(file: Uint8Array): Promise<Picture> {
  const size = readImageSize(file)
  if (!size || size.width === 0 || size.height === 0) throw new ProblemError('UNSUPPORTED_TYPE')
  const { width, height } = size
  if (width * height > mostPixels) throw invalid([{ field: 'avatar', code: 'OUT_OF_RANGE', limit: mostPixels }])
  return inTurn(() => squared(file, size.format))
}

async function squared(file: Uint8Array, format: string): Promise<Picture> {
  // With the first picture and not with the start: it is 18 MB of machine code.
  const { ResizeFit, Transformer } = await import('@napi-rs/image')
  try {
    const found = await new Transformer(file).metadata(true)
    // A file that is two things at once is neither.
    if (found.format !== format) throw new Error(`${format} turns out to be ${found.format}`)
    const picture = new Transformer(file)
    if (found.orientation !== undefined && found.orientation > 1) picture.rotate(found.orientation)
    const bytes = await picture.resize({ width: avatarSide, height: avatarSide, fit: ResizeFit.Cover }).webp(quality)
    return { type: 'image/webp', bytes }
  } catch {
    throw new ProblemError('UNSUPPORTED_TYPE')
  }
}
