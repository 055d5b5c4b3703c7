import { Button } from '#ui/display/Button.tsx'
import { Pagination } from '#ui/list/Pagination.tsx'
import { useTranslation } from 'react-i18next'

interface TrailPagesProps {
  page: number
  /** Those that have a number. */
  pageCount: number
  /** What is shown stands behind them: only the next page is known, and the browser's Back leads to the one before. */
  isBeyondNumbers: boolean
  onPage: (page: number) => void
  /** Null: there are no more. */
  onNext: (() => void) | null
}

/** Page numbers as far as the server counts, and from there on page after page. */
export function TrailPages({ page, pageCount, isBeyondNumbers, onPage, onNext }: TrailPagesProps) {
  const { t } = useTranslation('ui')
  if (!isBeyondNumbers) return <Pagination page={page} pageCount={pageCount} onPage={onPage} onPastLastPage={onNext} />
  return (
    <nav className="pages" aria-label={t('list.pages')}>
      <button type="button" className="page-number" aria-label={t('list.goTo', { page: 1 })} onClick={() => onPage(1)}>
        1
      </button>
      <span className="gap" aria-hidden="true">
        …
      </span>
      <Button
        kind="plain"
        icon="right"
        isIconOnly
        disabledReason={onNext ? null : t('list.lastPage')}
        onClick={() => onNext?.()}
      >
        {t('list.next')}
      </Button>
    </nav>
  )
}
