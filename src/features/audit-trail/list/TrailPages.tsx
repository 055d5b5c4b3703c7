import { Button } from '#ui/display/Button.tsx'
import { Pages } from '#ui/list/Pagination.tsx'
import { useTranslation } from 'react-i18next'

interface Props {
  page: number
  /** Those that have a number. */
  pages: number
  /** What is shown stands behind them: only the next page is known, and the browser's Back leads to the one before. */
  isBehind: boolean
  onPage: (page: number) => void
  /** Null: there are no more. */
  onNext: (() => void) | null
}

/** Page numbers as far as the server counts, and from there on page after page. */
export function TrailPages({ page, pages, isBehind, onPage, onNext }: Props) {
  const { t } = useTranslation('ui')
  if (!isBehind) return <Pages page={page} pages={pages} onPage={onPage} onBeyond={onNext} />
  return (
    <nav className="pages" aria-label={t('list.pages')}>
      <button type="button" className="page-number" aria-label={t('list.goTo', { page: 1 })} onClick={() => onPage(1)}>
        1
      </button>
      <span className="gap" aria-hidden="true">
        …
      </span>
      <Button kind="plain" icon="right" bare whyNot={onNext ? null : t('list.lastPage')} onClick={() => onNext?.()}>
        {t('list.next')}
      </Button>
    </nav>
  )
}
