import type { PutObjectCommand, UploadPartCommand } from '@aws-sdk/client-s3'
import { Readable } from 'node:stream'
import type { ByteMeter } from '#server/drivers/file-store/file-store.ts'

const sliceBytes = 64 * 1024

/**
 * Makes the command report its sent bytes to `meter`. Its body must be a byte array, from which the SDK has computed checksum and signature
 * before this step.
 */
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
      // The body is replaced in a copy of the request, because a retry needs the original bytes.
      const bodyStream = Readable.from(sliceBody(body, meter), { objectMode: false, highWaterMark: sliceBytes })
      // This is an error of the meter. The owner of the meter aborts the call.
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
