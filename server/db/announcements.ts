interface Subscriber {
  listener: (message: string) => void
  onMissed: (() => void) | undefined
}

export class Announcements {
  readonly #subscribersByChannel = new Map<string, Set<Subscriber>>()

  subscribe(channel: string, listener: (message: string) => void, onMissed?: () => void): () => void {
    const subscriber = { listener, onMissed }
    const subscribers = this.#subscribersByChannel.get(channel) ?? new Set()
    this.#subscribersByChannel.set(channel, subscribers.add(subscriber))
    return () => subscribers.delete(subscriber)
  }

  notify(channel: string, message: string): void {
    for (const { listener } of this.#subscribersByChannel.get(channel) ?? []) listener(message)
  }

  /** Tells all subscribers that messages may have been lost. */
  notifyMissed(): void {
    for (const subscribers of this.#subscribersByChannel.values()) for (const { onMissed } of subscribers) onMissed?.()
  }
}
