import { Button } from '#ui/display/Button.tsx'
import { useTranslation } from 'react-i18next'
import { businessNow } from '#ui/page/business-clock.ts'
import { type LogRange, quickSpans, startOf } from '#features/services/log/log-range.ts'

interface Props {
  clock: { minuteIn: (instant: number) => string }
  onChoose: (range: LogRange) => void
}

/** Spans that end now. */
export function QuickSpans({ clock, onChoose }: Props) {
  const { t } = useTranslation('services')
  return (
    <div className="log-quick" role="group" aria-label={t('log.range')}>
      {quickSpans.map((span) => (
        <Button key={span} onClick={() => onChoose({ from: startOf(span, businessNow(), clock.minuteIn), to: '' })}>
          {t(`log.${span}`)}
        </Button>
      ))}
    </div>
  )
}
