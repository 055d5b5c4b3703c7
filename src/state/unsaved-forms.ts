/**
 * Keeps the input of a form when its user's session ends automatically, or a right that its page needs is lost. It stays in this page's
 * memory and is restored for the same user on the same page; a sign-in of another user deletes it. It is never stored, so nothing needs to
 * be sealed or wiped. Before a deliberate sign-out the user was warned.
 */
import { useEffect, useRef, useState } from 'react'
import { useStore } from 'react-redux'
import { useSignedInSession } from '#state/use-store.ts'
import type { AppStore } from '#state/store.ts'

export interface UnsavedForms<T> {
  /** Returns the input that the user had typed into this form before the redirect, or null. */
  useUnsavedForm(formKey: string): T | null
  /**
   * Keeps the form's input if the user is redirected because the session ended or a right was lost. `formValue` is null if there is no
   * unsaved input.
   */
  useKeepUnsavedForm(formKey: string, formValue: T | null): void
}

const toFormName = (userId: number, companyId: number, formKey: string) => `${companyId}:${userId} ${formKey}`

/** Call it once per kind of form, at module level. */
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
          // A form that is unmounted before it was rendered with changed rights has lost its page.
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

/** Until the user signs in, leaving the page would lose the input. So the browser warns, and an update waits (app/pwa/unsaved-input.ts). */
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
