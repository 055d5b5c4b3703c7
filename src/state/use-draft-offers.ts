import { useEffect, useRef, useState } from 'react'
import type { FormDrafts } from '#local/drafts/form-drafts.ts'
import type { FormDraft } from '#local/storage/records.ts'

/** The functions of `local/drafts/form-drafts.ts`. */
export interface DraftStore {
  readDrafts(form: string, formerForm?: string | null): Promise<FormDrafts>
  saveDraft(form: string, value: unknown, base?: string): Promise<boolean>
  putDraftAside(form: string, value: unknown, base?: string): Promise<FormDraft | null>
  dropDraft(name: FormDraft['name']): Promise<boolean>
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
  own: { value: T; at: number } | null | undefined
  /** The newest draft of an earlier visit; null: there is none. */
  offer: DraftOffer | null
  /** Accepts the offer. `typed`: what stands in the form by now, offered in its place; null: nothing that is worth it. */
  accept: (typed: T | null) => T | null
  /** Forgets the offered draft for good. */
  discard: () => void
}

/** The drafts of a form: this visit's own, and those of earlier visits, which fill nothing in before they are accepted. */
export function useDraftOffers<T>(
  store: DraftStore,
  { form, formerForm, base, parse }: FormIdentity<T>,
): DraftOffers<T> {
  const [own, setOwn] = useState<{ value: T; at: number } | null | undefined>()
  const [earlier, setEarlier] = useState<readonly FormDraft[]>([])
  const read = useRef({ parse, store })
  useEffect(() => {
    read.current = { parse, store }
  })
  useEffect(() => {
    let isActive = true
    void read.current.store.readDrafts(form, formerForm).then((drafts) => {
      if (!isActive) return
      const value = drafts.own && read.current.parse(drafts.own.value)
      setOwn(drafts.own && value !== null ? { value, at: drafts.own.at } : null)
      setEarlier(drafts.earlier.filter((draft) => read.current.parse(draft.value) !== null))
    })
    return () => void (isActive = false)
  }, [form, formerForm])
  const [first] = earlier
  return {
    own,
    offer: first ? { at: first.at, isChanged: first.base !== undefined && first.base !== base } : null,
    accept(typed) {
      const value = first ? parse(first.value) : null
      if (!first || value === null) return null
      setEarlier((drafts) => drafts.filter(({ name }) => name !== first.name))
      void (async () => {
        const aside = typed === null ? null : await store.putDraftAside(form, typed, base)
        if (aside) setEarlier((drafts) => [aside, ...drafts])
        // Stored under this visit before it goes from where it was.
        if (await store.saveDraft(form, value, base)) await store.dropDraft(first.name)
      })()
      return value
    },
    discard() {
      if (!first) return
      setEarlier((drafts) => drafts.filter(({ name }) => name !== first.name))
      void store.dropDraft(first.name)
    },
  }
}
