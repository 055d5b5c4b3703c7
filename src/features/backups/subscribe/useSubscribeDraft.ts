import { useEffect, useState } from 'react'
import { readDraft, saveDraft } from '#local/drafts/form-drafts.ts'
import { type SubscribeDraft, storedDraft } from '#features/backups/subscribe/subscribe-form.ts'

/**
 * What stands in the form of a service's subscription, kept on the device as it is typed: whoever chose without a line, or left,
 * finds it again and orders it then, by the price of that day (D89). Null: no form is open.
 */
export function useSubscribeDraft(serviceId: number): [SubscribeDraft | null, (draft: SubscribeDraft | null) => void] {
  const [draft, setDraft] = useState<SubscribeDraft | null>(null)
  const form = `backup:${serviceId}`
  useEffect(() => {
    let stands = true
    void readDraft(form).then((kept) => stands && setDraft((now) => now ?? storedDraft(kept?.value)))
    return () => void (stands = false)
  }, [form])
  const keep = (now: SubscribeDraft | null) => {
    setDraft(now)
    void saveDraft(form, now)
  }
  return [draft, keep]
}
