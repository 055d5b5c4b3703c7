/** Decodes the pictures of strangers, each in a process of its own with limits of the operating system's. */
import type { ImageSize } from '#domain/images.ts'
import { type ProcessLimits, runBounded } from '#server/drivers/bounded-process.ts'

type DecoderLimits = Pick<ProcessLimits, 'dataKb' | 'cpuSeconds' | 'wallMs'>

/**
 * Beside what Node counts for itself, the largest picture that is let in, of 16 bits a channel, needs 500 MB. It takes a second of
 * one core.
 */
const defaultLimits: DecoderLimits = { dataKb: 1_200_000, cpuSeconds: 5, wallMs: 30_000 }

/** The picture as a WebP square; null: it could not be decoded within the limits. Rejects where no process can be started. */
export const decodePicture = (
  file: Uint8Array,
  { format, width, height }: ImageSize,
  limits: DecoderLimits = defaultLimits,
): Promise<Buffer | null> =>
  // A small heap: what is left is for the picture.
  runBounded(new URL('./process.ts', import.meta.url), [format, String(width), String(height)], file, {
    ...limits,
    maxOutputBytes: 4_000_000,
    heapMb: 64,
  })
