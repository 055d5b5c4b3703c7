import { useEffect, useRef, useState } from 'react'
import type { FormDrafts } from '#local/drafts/form-drafts.ts'
import type { FormDraft } from '#local/storage/records.ts'

/** The functions of `local/drafts/form-drafts.ts`. */
export interface DraftStore {
  readDrafts(form: string, formerForm?: string | null): Promise<FormDrafts>
  saveDraft(form: string, value: unknown, base?: string): Promise<boolean>
  putDraftAside(form: string, value: unknown, base?: string): Promise<FormDraft | null>
  deleteDraft(name: FormDraft['name']): Promise<boolean>
}

export interface FormIdentity<T> {
  form: string
  /** What an earlier build called it. */
  formerForm?: string
  /** The version of what the form changes; a draft of another one says so. */
  base?: string | undefined
  /** Null: a draft that this build cannot read. */
  parse: (value: unknown) => T | null
}

export interface DraftOffer {
  /** When it was kept, this device's clock, epoch ms. */
  at: number
  /** What it changes has been changed since. */
  isChanged: boolean
}

export interface DraftOffers<T> {
  /** Of this visit, when the form was opened; undefined: not read yet. */
  ownDraft: { value: T; at: number } | null | undefined
  /** The newest draft of an earlier visit; null: there is none. */
  offer: DraftOffer | null
  /** Accepts the offer. `formValue`: what stands in the form by now, offered in its place; null: nothing that is worth it. */
  accept: (formValue: T | null) => T | null
  /** Forgets the offered draft for good. */
  discard: () => void
}

/** The drafts of a form: this visit's own, and those of earlier visits, which fill nothing in before they are accepted. */
export function useDraftOffers<T>(
  store: DraftStore,
  { form, formerForm, base, parse }: FormIdentity<T>,
): DraftOffers<T> {
  const [ownDraft, setOwnDraft] = useState<{ value: T; at: number } | null | undefined>()
  const [earlier, setEarlier] = useState<readonly FormDraft[]>([])
  const read = useRef({ parse, store })
  useEffect(() => {
    read.current = { parse, store }
  })
  useEffect(() => {
    let isActive = true
    void read.current.store.readDrafts(form, formerForm).then((drafts) => {
      if (!isActive) return
      const value = drafts.ownDraft && read.current.parse(drafts.ownDraft.value)
      setOwnDraft(drafts.ownDraft && value !== null ? { value, at: drafts.ownDraft.at } : null)
      setEarlier(drafts.earlierDrafts.filter((draft) => read.current.parse(draft.value) !== null))
    })
    return () => void (isActive = false)
  }, [form, formerForm])
  const [latestDraft] = earlier
  return {
    ownDraft,
    offer: latestDraft
      ? { at: latestDraft.at, isChanged: latestDraft.base !== undefined && latestDraft.base !== base }
      : null,
    accept(formValue) {
      const value = latestDraft ? parse(latestDraft.value) : null
      if (!latestDraft || value === null) return null
      setEarlier((drafts) => drafts.filter(({ name }) => name !== latestDraft.name))
      void (async () => {
        const asideDraft = formValue === null ? null : await store.putDraftAside(form, formValue, base)
        if (asideDraft) setEarlier((drafts) => [asideDraft, ...drafts])
        // Stored under this visit before it goes from where it was.
        if (await store.saveDraft(form, value, base)) await store.deleteDraft(latestDraft.name)
      })()
      return value
    },
    discard() {
      if (!latestDraft) return
      setEarlier((drafts) => drafts.filter(({ name }) => name !== latestDraft.name))
      void store.deleteDraft(latestDraft.name)
    },
  }
}
