/** Bytes are counted where they leave: of each try, as the line takes them. */
import type { PutObjectCommand, UploadPartCommand } from '@aws-sdk/client-s3'
import { Readable } from 'node:stream'
import type { ByteMeter } from '#server/drivers/backup-store/backup-store.ts'

const sliceBytes = 64 * 1024

/** The command's body is bytes: the SDK has worked out its checksum and signature from them by then. */
export function meterCommand<Command extends PutObjectCommand | UploadPartCommand>(
  command: Command,
  meter: ByteMeter,
): Command {
  const stack = command.middlewareStack as PutObjectCommand['middlewareStack']
  stack.add(
    (next) => (args) => {
      const request = args.request as { body?: unknown }
      const { body } = request
      if (!(body instanceof Uint8Array) || body.length === 0) return next(args)
      // Of this try alone: the next one has the bytes again.
      const bodyStream = Readable.from(sliceBody(body, meter), { objectMode: false, highWaterMark: sliceBytes })
      // Of the meter, whose owner cuts the call off.
      bodyStream.on('error', () => undefined)
      const meteredRequest = Object.assign(Object.create(Object.getPrototypeOf(request) as object) as object, request, {
        body: bodyStream,
      })
      return next({ ...args, request: meteredRequest })
    },
    { step: 'finalizeRequest', priority: 'low', name: 'meter' },
  )
  return command
}

async function* sliceBody(body: Uint8Array, meter: ByteMeter): AsyncGenerator<Uint8Array> {
  for (let offset = 0; offset < body.length; offset += sliceBytes) {
    const slice = body.subarray(offset, offset + sliceBytes)
    await meter(slice.length)
    yield slice
  }
}
