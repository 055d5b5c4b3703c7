/** Who listens to what inside this process. */
export class Announcements {
  readonly #ears = new Map<string, Set<(message: string) => void>>()

  hear(channel: string, ear: (message: string) => void): () => void {
    const ears = this.#ears.get(channel) ?? new Set()
    this.#ears.set(channel, ears.add(ear))
    return () => ears.delete(ear)
  }

  tell(channel: string, message: string): void {
    for (const ear of this.#ears.get(channel) ?? []) ear(message)
  }
}
