import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '#ui/display/Button.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { getBusinessNow, formatBusinessTime, toServerTime } from '#ui/page/business-clock.ts'

interface Props {
  /** Time at which the draft was saved, in epoch ms of this device's clock. */
  savedAt: number
  /** Warning that the edited record was changed since then. Omitted if it was not. */
  changedText?: string | undefined
  onContinue: () => void
  onDiscard: () => void
}

/** Asks `Continue your draft of 2026-11-27?`. A draft of an earlier visit is never filled in without asking. */
export function DraftOffer({ savedAt, changedText, onContinue, onDiscard }: Props) {
  const { t } = useTranslation('ui')
  const savedTime = formatBusinessTime(toServerTime(savedAt))
  const day = savedTime.slice(0, 10)
  const [today] = useState(() => formatBusinessTime(getBusinessNow()).slice(0, 10))
  const question = t('draft.offer', { at: day === today ? savedTime : day })
  return (
    <section className="draft-offer" aria-label={question}>
      <Icon name="info" />
      <div role="status">
        <p>{question}</p>
        {changedText && <p>{changedText}</p>}
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
