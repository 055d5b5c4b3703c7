import type { ImageSize } from '#domain/images.ts'
import { type ProcessLimits, runBounded } from '#server/drivers/bounded-process.ts'

type DecoderLimits = Pick<ProcessLimits, 'dataKb' | 'cpuSeconds' | 'wallMs'>

/** Limits of the process. The largest allowed image (16 bits per channel) needs 500 MB in addition to Node, and a second of one core. */
const defaultLimits: DecoderLimits = { dataKb: 1_200_000, cpuSeconds: 5, wallMs: 30_000 }

/** Returns a square WebP, or null if the image is invalid or exceeds a limit. Rejects if no process can be started. */
export const decodePicture = (
  file: Uint8Array,
  { format, width, height }: ImageSize,
  limits: DecoderLimits = defaultLimits,
): Promise<Buffer | null> =>
  // A small JavaScript heap leaves the memory to the image.
  runBounded(new URL('./process.ts', import.meta.url), [format, String(width), String(height)], file, {
    ...limits,
    maxOutputBytes: 4_000_000,
    heapMb: 64,
  })
