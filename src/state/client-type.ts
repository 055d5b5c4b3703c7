/**
 * Which client type the staff pages are about (portal 1, M3): chosen by the delete level, kept in this browser, and saas
 * for everybody else, whatever was chosen here before.
 */
import { useSyncExternalStore } from 'react'
import type { Caller, ClientType } from '#domain/access.ts'
import { useSignedInSession } from '#state/use-store.ts'

const storageKey = 'portal.clientType'
const listeners = new Set<() => void>()
/** Where storage is off, the choice lasts as long as the page. */
let lastChoice: string | null = null

function read(): string | null {
  try {
    return localStorage.getItem(storageKey)
  } catch {
    return lastChoice
  }
}

const readChosenType = (): ClientType => (read() === 'mma' ? 'mma' : 'saas')

function subscribe(listener: () => void) {
  listeners.add(listener)
  addEventListener('storage', listener)
  return () => {
    listeners.delete(listener)
    removeEventListener('storage', listener)
  }
}

export function chooseClientType(type: ClientType): void {
  lastChoice = type
  try {
    localStorage.setItem(storageKey, type)
  } catch {
    // Kept for the page above.
  }
  for (const listener of listeners) listener()
}

/**
 * What a staff page asks for, by the rule `getClientType` of the domain; another choice, in another tab too, draws it
 * again.
 */
export function useClientType(rule: (caller: Caller, chosenType: ClientType) => ClientType): ClientType {
  const { caller } = useSignedInSession()
  return rule(caller, useSyncExternalStore(subscribe, readChosenType))
}
