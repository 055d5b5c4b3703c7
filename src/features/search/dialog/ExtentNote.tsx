import { useTranslation } from 'react-i18next'
import { joinList } from '#ui/i18n/messages.ts'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { isApple } from '#ui/page/is-apple.ts'
import type { SearchExtent, IndexSnapshot } from '#features/search/index/index-session.ts'

const kinds = ['users', 'contracts', 'invoices', 'services', 'customers'] as const

/** Says which rows were searched: those on the device, and of how many. */
export function ExtentNote({ snapshot: { isReading, extents } }: { snapshot: IndexSnapshot }) {
  const { t } = useTranslation('search')
  const formatExtent = (kind: (typeof kinds)[number], { itemCount, total, isComplete }: SearchExtent) => {
    const number = formatNumber(itemCount)
    if (isComplete || total === itemCount) return t(`extent.${kind}`, { count: itemCount, number })
    return total !== null && total > itemCount
      ? t(`extent.part.${kind}`, { number, total: formatNumber(total) })
      : t(`extent.unknown.${kind}`, { number })
  }
  const texts = kinds.flatMap((kind) => {
    const extent = extents[kind]
    return extent ? [formatExtent(kind, extent)] : []
  })
  const hereText = texts.length > 0 ? t('extent.here', { list: joinList(texts) }) : ''
  return (
    <div className="search-foot">
      <p>{isReading ? t('extent.reading') : hereText}</p>
      <p className="search-keys" aria-hidden="true">
        <kbd>↑</kbd>
        <kbd>↓</kbd> {t('keys.move')} <kbd>↵</kbd> {t('keys.open')} <kbd>{isApple ? '⌘' : 'Ctrl'} ↵</kbd>{' '}
        {t('keys.newTab')}
      </p>
    </div>
  )
}
