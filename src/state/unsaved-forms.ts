/**
 * What stands typed in a form when its user's session ends by itself, or a right that its page needs is lost. It stays where it
 * was, in this page's memory, and is given back to the same user at the same place; whoever else signs in here ends it. It is never
 * stored, so there is nothing to seal or to wipe. Who signs out by choice has been asked about it before.
 */
import { useEffect, useRef, useState } from 'react'
import { useStore } from 'react-redux'
import { useSignedInSession } from '#state/use-store.ts'
import type { AppStore } from '#state/store.ts'

export interface UnsavedForms<T> {
  /** What was being typed at this place before its user was led away; null: nothing. */
  useUnsavedForm(formKey: string): T | null
  /** Holds it from the end of the session, or of the right, on. Null: there is nothing to lose. */
  useKeepUnsavedForm(formKey: string, formValue: T | null): void
}

const toFormName = (userId: number, companyId: number, formKey: string) => `${companyId}:${userId} ${formKey}`

/** One for a kind of form, at module level. */
export function createUnsavedForms<T>(): UnsavedForms<T> {
  const formsByName = new Map<string, T>()

  function useFormName(formKey: string): string {
    const { caller } = useSignedInSession()
    return toFormName(caller.userId, caller.companyId, formKey)
  }

  return {
    useUnsavedForm(formKey) {
      const name = useFormName(formKey)
      const [unsavedForm] = useState(() => formsByName.get(name) ?? null)
      // Once it is shown it is the form's again.
      useEffect(() => void formsByName.delete(name), [name])
      return unsavedForm
    },
    useKeepUnsavedForm(formKey, formValue) {
      const name = useFormName(formKey)
      const store = useStore() as AppStore
      const { caller } = useSignedInSession()
      const latestForm = useRef({ formValue, caller })
      useEffect(() => {
        latestForm.current = { formValue, caller }
      })
      useEffect(
        () => () => {
          const { session } = store.getState()
          const { formValue: latestValue, caller } = latestForm.current
          // A form that goes before it was drawn with changed rights has lost its page.
          const isRedirected =
            session.kind === 'signed in'
              ? JSON.stringify(session.caller) !== JSON.stringify(caller)
              : session.kind === 'signed out' && session.reason === 'ended'
          if (!isRedirected || latestValue === null) return
          formsByName.set(name, latestValue)
          if (session.kind === 'signed in') return
          keepUntilSignedIn(
            store,
            (signedInCaller) =>
              name.startsWith(toFormName(signedInCaller.userId, signedInCaller.companyId, '')) || formsByName.clear(),
          )
        },
        [name, store],
      )
    },
  }
}

/** Until somebody signs in, leaving the page would lose it: the browser asks, and an update waits (app/pwa/unsaved-input.ts). */
function keepUntilSignedIn(store: AppStore, onSignedIn: (caller: { userId: number; companyId: number }) => void): void {
  const preventUnload = (event: BeforeUnloadEvent) => event.preventDefault()
  window.addEventListener('beforeunload', preventUnload)
  const stop = store.subscribe(() => {
    const { session } = store.getState()
    if (session.kind !== 'signed in') return
    stop()
    window.removeEventListener('beforeunload', preventUnload)
    onSignedIn(session.caller)
  })
}
