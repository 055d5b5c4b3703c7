/** Reads standard input to its end. Rejects if there are more than `maxBytes`. */
export async function readStandardInput(maxBytes: number): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) throw new Error('the standard input is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
