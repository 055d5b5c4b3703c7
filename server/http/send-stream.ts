/**
 * Sends a response as a stream. If it fails half-way, the connection is destroyed, so that the browser reports an error and does not take
 * the file for complete.
 */
import type { FastifyReply } from 'fastify'
import { type StreamPiece, PieceStream } from '#server/http/piece-stream.ts'

interface StreamSource {
  open: () => Promise<AsyncIterable<StreamPiece>>
  /** Called once, when the response has ended for any reason and the source has finished its work. */
  release: () => void
  maxWaitMs: number
}

/** Rethrows errors of `open` and of the first piece; nothing was sent in that case. */
export async function sendStream(
  reply: FastifyReply,
  { open, release, maxWaitMs }: StreamSource,
): Promise<FastifyReply> {
  const stream = await openStream(open, maxWaitMs).catch((error: unknown) => {
    release()
    throw error
  })
  const closedPromise = new Promise((resolve) => stream.once('close', resolve))
  const sentPromise = waitForResponseEnd(reply).then(() => stream.destroy())
  void Promise.all([closedPromise, sentPromise]).then(release)
  stream.once('error', (error) => {
    if (hasLeft(reply)) return
    reply.log.error(
      { event: 'response_aborted', err: error, route: reply.request.routeOptions.url ?? null },
      'a streamed response was aborted',
    )
    resetOldClient(reply)
  })
  return reply.send(stream)
}

const openStream = async (open: () => Promise<AsyncIterable<StreamPiece>>, maxWaitMs: number): Promise<PieceStream> =>
  PieceStream.open(await open(), maxWaitMs)

/**
 * Resolves when the response was sent or its connection is closed. A response that waits behind another one gets no event when the client
 * disconnects, so the socket is watched too.
 */
function waitForResponseEnd({ raw, request }: FastifyReply): Promise<void> {
  const { socket } = request.raw
  return new Promise((resolve) => {
    const handleEnd = () => {
      raw.off('finish', handleEnd).off('close', handleEnd)
      socket.off('close', handleEnd)
      resolve()
    }
    if (raw.destroyed || socket.destroyed) return resolve()
    raw.on('finish', handleEnd).on('close', handleEnd)
    socket.on('close', handleEnd)
  })
}

const hasLeft = ({ request }: FastifyReply) => request.raw.socket.destroyed

/** Resets the connection of an HTTP/1.0 client, such as a proxy, because there a closed connection is the normal end of a file. */
function resetOldClient({ raw, request }: FastifyReply): void {
  if (raw.headersSent && request.raw.httpVersionMinor === 0) request.raw.socket.resetAndDestroy()
}
