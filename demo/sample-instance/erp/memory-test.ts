const megabyte = 1024 * 1024

export const measureMemoryMb = (): number => Math.round(process.memoryUsage.rss() / megabyte)

/** Returns a function that uses 100 MB more with each call. */
export function createMemoryTest(): () => void {
  const memoryBlocks: Buffer[] = []
  // The block is filled, because the system allocates memory only when it is written.
  return () => void memoryBlocks.push(Buffer.alloc(100 * megabyte, 1))
}
