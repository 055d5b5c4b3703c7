/** To its end. Rejects for more than that. */
export async function readStandardInput(maxBytes: number): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of process.stdin as AsyncIterable<Buffer>) {
    size += part.length
    if (size > maxBytes) throw new Error('too much on standard input')
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}
