export class Announcements {
  readonly #listenersByChannel = new Map<string, Set<(message: string) => void>>()

  subscribe(channel: string, listener: (message: string) => void): () => void {
    const listeners = this.#listenersByChannel.get(channel) ?? new Set()
    this.#listenersByChannel.set(channel, listeners.add(listener))
    return () => listeners.delete(listener)
  }

  notify(channel: string, message: string): void {
    for (const listener of this.#listenersByChannel.get(channel) ?? []) listener(message)
  }
}
