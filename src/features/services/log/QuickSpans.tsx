import { Button } from '#ui/display/Button.tsx'
import { useTranslation } from 'react-i18next'
import { getBusinessNow } from '#ui/page/business-clock.ts'
import { type ServiceLogRange, quickSpans, getSpanStart } from '#features/services/log/log-range.ts'

interface QuickSpansProps {
  clock: { formatMinute: (instant: number) => string }
  onChoose: (range: ServiceLogRange) => void
}

export function QuickSpans({ clock, onChoose }: QuickSpansProps) {
  const { t } = useTranslation('services')
  return (
    <div className="log-quick" role="group" aria-label={t('log.range')}>
      {quickSpans.map((span) => (
        <Button
          key={span}
          onClick={() => onChoose({ from: getSpanStart(span, getBusinessNow(), clock.formatMinute), to: '' })}
        >
          {t(`log.${span}`)}
        </Button>
      ))}
    </div>
  )
}
