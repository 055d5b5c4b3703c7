/**
 * What stands typed in a form when its user's session ends by itself, or a right that its page needs is lost. It stays where it
 * was, in this page's memory, and is given back to the same user at the same place; whoever else signs in here ends it. It is never
 * stored, so there is nothing to seal or to wipe. Who signs out by choice has been asked about it before.
 */
import { useEffect, useRef, useState } from 'react'
import { useStore } from 'react-redux'
import { useSignedIn } from '#state/hooks.ts'
import type { Store } from '#state/store.ts'

export interface Unsaved<T> {
  /** What was being typed at this place before its user was led away; null: nothing. */
  useHeld(place: string): T | null
  /** Holds it from the end of the session, or of the right, on. Null: there is nothing to lose. */
  useHolding(place: string, typed: T | null): void
}

const nameOf = (userId: number, companyId: number, place: string) => `${companyId}:${userId} ${place}`

/** One for a kind of form, at module level. */
export function createUnsaved<T>(): Unsaved<T> {
  const held = new Map<string, T>()

  function useName(place: string): string {
    const { caller } = useSignedIn()
    return nameOf(caller.userId, caller.companyId, place)
  }

  return {
    useHeld(place) {
      const name = useName(place)
      const [found] = useState(() => held.get(name) ?? null)
      // Once it is shown it is the form's again.
      useEffect(() => void held.delete(name), [name])
      return found
    },
    useHolding(place, typed) {
      const name = useName(place)
      const store = useStore() as Store
      const { caller } = useSignedIn()
      const latest = useRef({ typed, caller })
      useEffect(() => {
        latest.current = { typed, caller }
      })
      useEffect(
        () => () => {
          const { session } = store.getState()
          const { typed, caller } = latest.current
          // A form that goes before it was drawn with changed rights has lost its page.
          const isLedAway =
            session.kind === 'signed in'
              ? JSON.stringify(session.caller) !== JSON.stringify(caller)
              : session.kind === 'signed out' && session.because === 'ended'
          if (!isLedAway || typed === null) return
          held.set(name, typed)
          if (session.kind === 'signed in') return
          keepUntilSignedIn(store, (own) => name.startsWith(nameOf(own.userId, own.companyId, '')) || held.clear())
        },
        [name, store],
      )
    },
  }
}

/** Until somebody signs in, leaving the page would lose it: the browser asks, and an update waits (app/pwa/unsaved-input.ts). */
function keepUntilSignedIn(store: Store, then: (caller: { userId: number; companyId: number }) => void): void {
  const ask = (event: BeforeUnloadEvent) => event.preventDefault()
  window.addEventListener('beforeunload', ask)
  const stop = store.subscribe(() => {
    const { session } = store.getState()
    if (session.kind !== 'signed in') return
    stop()
    window.removeEventListener('beforeunload', ask)
    then(session.caller)
  })
}
