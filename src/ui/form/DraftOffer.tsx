import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '#ui/display/Button.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { businessNow, businessTime, fromDeviceClock } from '#ui/page/business-clock.ts'

interface Props {
  /** When the draft was kept, epoch ms. */
  at: number
  /** Says that what it changes was changed since; left out: it was not. */
  changed?: string | undefined
  onContinue: () => void
  onDiscard: () => void
}

/** `Continue your draft of 2026-11-27?` A draft of an earlier visit fills in nothing by itself. */
export function DraftOffer({ at, changed, onContinue, onDiscard }: Props) {
  const { t } = useTranslation('ui')
  const stamp = businessTime(fromDeviceClock(at))
  const day = stamp.slice(0, 10)
  const [today] = useState(() => businessTime(businessNow()).slice(0, 10))
  const question = t('draft.offer', { at: day === today ? stamp : day })
  return (
    <section className="draft-offer" aria-label={question}>
      <Icon name="info" />
      <div role="status">
        <p>{question}</p>
        {changed && <p>{changed}</p>}
      </div>
      <div className="draft-offer-acts">
        <Button onClick={onContinue}>{t('draft.continue')}</Button>
        <Button kind="plain" onClick={onDiscard}>
          {t('draft.discard')}
        </Button>
      </div>
    </section>
  )
}
