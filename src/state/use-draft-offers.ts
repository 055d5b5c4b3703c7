import { useEffect, useRef, useState } from 'react'
import type { FormDrafts } from '#local/drafts/form-drafts.ts'
import type { FormDraft } from '#local/storage/records.ts'

/** The functions of `local/drafts/form-drafts.ts`. */
export interface DraftStore {
  readDrafts(formName: string, formerForm?: string | null): Promise<FormDrafts>
  saveDraft(formName: string, value: unknown, base?: string): Promise<boolean>
  putDraftAside(formName: string, value: unknown, base?: string): Promise<FormDraft | null>
  deleteDraft(name: FormDraft['name']): Promise<boolean>
}

export interface FormIdentity<T> {
  formName: string
  /** What an earlier build called it. */
  formerForm?: string
  /** The version of what the form changes; a draft of another one says so. */
  base?: string | undefined
  /** Null: a draft that this build cannot read. */
  parse: (value: unknown) => T | null
}

export interface DraftOffer {
  /** When it was kept, this device's clock, epoch ms. */
  savedAt: number
  /** What it changes has been changed since. */
  isChanged: boolean
}

export interface DraftOffers<T> {
  /** Of this visit, when the form was opened; undefined: not read yet. */
  ownDraft: { value: T; savedAt: number } | null | undefined
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
  { formName, formerForm, base, parse }: FormIdentity<T>,
): DraftOffers<T> {
  const [ownDraft, setOwnDraft] = useState<{ value: T; savedAt: number } | null | undefined>()
  const [earlierDrafts, setEarlierDrafts] = useState<readonly FormDraft[]>([])
  const read = useRef({ parse, store })
  useEffect(() => {
    read.current = { parse, store }
  })
  useEffect(() => {
    let isActive = true
    void read.current.store.readDrafts(formName, formerForm).then((drafts) => {
      if (!isActive) return
      const value = drafts.ownDraft && read.current.parse(drafts.ownDraft.value)
      setOwnDraft(drafts.ownDraft && value !== null ? { value, savedAt: drafts.ownDraft.at } : null)
      setEarlierDrafts(drafts.earlierDrafts.filter((draft) => read.current.parse(draft.value) !== null))
    })
    return () => void (isActive = false)
  }, [formName, formerForm])
  const [latestDraft] = earlierDrafts
  return {
    ownDraft,
    offer: latestDraft
      ? { savedAt: latestDraft.at, isChanged: latestDraft.base !== undefined && latestDraft.base !== base }
      : null,
    accept(formValue) {
      const value = latestDraft ? parse(latestDraft.value) : null
      if (!latestDraft || value === null) return null
      setEarlierDrafts((drafts) => drafts.filter(({ name }) => name !== latestDraft.name))
      void (async () => {
        const replacedDraft = formValue === null ? null : await store.putDraftAside(formName, formValue, base)
        if (replacedDraft) setEarlierDrafts((drafts) => [replacedDraft, ...drafts])
        // Stored under this visit before it goes from where it was.
        if (await store.saveDraft(formName, value, base)) await store.deleteDraft(latestDraft.name)
      })()
      return value
    },
    discard() {
      if (!latestDraft) return
      setEarlierDrafts((drafts) => drafts.filter(({ name }) => name !== latestDraft.name))
      void store.deleteDraft(latestDraft.name)
    },
  }
}
