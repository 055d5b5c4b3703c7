import { useEffect, useRef, useState } from 'react'
import type { FormDrafts } from '#local/drafts/form-drafts.ts'
import type { FormDraft } from '#local/storage/records.ts'

/** Functions of `local/drafts/form-drafts.ts`, as a parameter. */
export interface DraftStore {
  readDrafts(formName: string, formerForm?: string | null): Promise<FormDrafts>
  saveDraft(formName: string, value: unknown, base?: string): Promise<boolean>
  putDraftAside(formName: string, value: unknown, base?: string): Promise<FormDraft | null>
  deleteDraft(name: FormDraft['name']): Promise<boolean>
}

export interface FormIdentity<T> {
  formName: string
  /** Name of the form in an earlier build. */
  formerForm?: string
  /** Version of the record that the form changes. A draft of another version is marked as changed. */
  base?: string | undefined
  /** Returns null for a draft that this build cannot read. */
  parse: (value: unknown) => T | null
}

export interface DraftOffer {
  /** Time when the draft was saved (device clock, epoch ms). */
  savedAt: number
  isChanged: boolean
}

export interface DraftOffers<T> {
  /** This tab's draft when the form was opened, or null. Undefined while it is being read. */
  ownDraft: { value: T; savedAt: number } | null | undefined
  /** The latest draft of an earlier session or another tab, or null. */
  offer: DraftOffer | null
  /**
   * Accepts the offered draft and returns it. `formValue` is the current input, which is stored and offered instead. It is null if the
   * input is not worth keeping.
   */
  accept: (formValue: T | null) => T | null
  discard: () => void
}

/** Returns the drafts of a form: this tab's own draft, and the latest other draft, which fills the form only if the user accepts it. */
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
        // The accepted draft is stored as this tab's draft before the earlier one is deleted.
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
