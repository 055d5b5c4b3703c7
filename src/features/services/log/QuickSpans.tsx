import { Button } from '#ui/display/Button.tsx'
import { useNarrow } from '#ui/list/useNarrow.ts'
import { Menu } from '#ui/overlay/Menu.tsx'
import { useTranslation } from 'react-i18next'
import { getBusinessNow } from '#ui/page/business-clock.ts'
import { type ServiceLogRange, quickSpans, getSpanStart } from '#features/services/log/log-range.ts'

interface QuickSpansProps {
  clock: { formatMinute: (instant: number) => string }
  onChoose: (range: ServiceLogRange) => void
}

/** Usual ranges that end now: a menu in the row of tools, and buttons in the filter sheet of a phone. */
export function QuickSpans({ clock, onChoose }: QuickSpansProps) {
  const { t } = useTranslation('services')
  const isNarrow = useNarrow()
  const items = quickSpans.map((span) => ({
    key: span,
    label: t(`log.${span}`),
    onSelect: () => onChoose({ from: getSpanStart(span, getBusinessNow(), clock.formatMinute), to: '' }),
  }))
  if (!isNarrow) return <Menu label={t('log.range')} icon="calendar" isIconOnly={false} kind="quiet" items={items} />
  return (
    <div className="log-quick" role="group" aria-label={t('log.range')}>
      {items.map(({ key, label, onSelect }) => (
        <Button key={key} onClick={onSelect}>
          {label}
        </Button>
      ))}
    </div>
  )
}
