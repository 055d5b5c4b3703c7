/**
 * How a stream is sent. A file that fails on its way must never look complete: its connection is destroyed, so that a chunked
 * response lacks its last chunk and a browser reports a failed download.
 */
import type { FastifyReply } from 'fastify'
import { type StreamPiece, PieceStream } from '#server/http/piece-stream.ts'

interface StreamSource {
  /** Runs until the pieces can be read; it may throw. */
  open: () => Promise<AsyncIterable<StreamPiece>>
  /** Called once: the response has ended in whatever way, and no work for it is left. */
  release: () => void
  maxWaitMs: number
}

/** Throws what `open` and the first piece throw: nothing has been sent by then. */
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

/** Of a response that waits behind another one on its connection only the socket tells that the client has left. */
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

/** HTTP/1.0 knows no chunks: there the end of the connection is the end of the file, unless it is a reset. Proxies still speak it. */
function resetOldClient({ raw, request }: FastifyReply): void {
  if (raw.headersSent && request.raw.httpVersionMinor === 0) request.raw.socket.resetAndDestroy()
}
