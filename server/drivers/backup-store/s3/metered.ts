/** Bytes are counted where they leave: of each try, as the line takes them. */
import type { PutObjectCommand, UploadPartCommand } from '@aws-sdk/client-s3'
import { Readable } from 'node:stream'
import type { Meter } from '#server/drivers/backup-store/driver.ts'

const slice = 64 * 1024

/** The command's body is bytes: the SDK has worked out its checksum and signature from them by then. */
export function metered<C extends PutObjectCommand | UploadPartCommand>(command: C, meter: Meter): C {
  const stack = command.middlewareStack as PutObjectCommand['middlewareStack']
  stack.add(
    (next) => (args) => {
      const request = args.request as { body?: unknown }
      const { body } = request
      if (!(body instanceof Uint8Array) || body.length === 0) return next(args)
      // Of this try alone: the next one has the bytes again.
      const line = Readable.from(slices(body, meter), { objectMode: false, highWaterMark: slice })
      // Of the meter, whose owner cuts the call off.
      line.on('error', () => undefined)
      const counted = Object.assign(Object.create(Object.getPrototypeOf(request) as object) as object, request, {
        body: line,
      })
      return next({ ...args, request: counted })
    },
    { step: 'finalizeRequest', priority: 'low', name: 'meter' },
  )
  return command
}

async function* slices(body: Uint8Array, meter: Meter): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < body.length; at += slice) {
    const part = body.subarray(at, at + slice)
    await meter(part.length)
    yield part
  }
}
