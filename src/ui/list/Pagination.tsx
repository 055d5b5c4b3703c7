import { Button } from '#ui/display/Button.tsx'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { useTranslation } from 'react-i18next'

/** Returns the first and the last page, the current page and its neighbours. 0 is a gap. */
export function getPageNumbers(page: number, pageCount: number): number[] {
  const nearPages = [1, page - 1, page, page + 1, pageCount].filter(
    (pageNumber) => pageNumber >= 1 && pageNumber <= pageCount,
  )
  const sortedPages = [...new Set(nearPages)].sort((a, b) => a - b)
  return sortedPages.flatMap((pageNumber, index) => {
    const previous = sortedPages[index - 1] ?? 0
    // A gap of one page is replaced by that page, because dots would need the same space.
    if (pageNumber - previous === 2) return [pageNumber - 1, pageNumber]
    return pageNumber - previous > 2 ? [0, pageNumber] : [pageNumber]
  })
}

interface Props {
  page: number
  pageCount: number
  onPage: (page: number) => void
  /** Called for "Next" on the last numbered page, if there are more rows after it. */
  onPastLastPage?: (() => void) | null
}

/** Page links of a list. The current page is also marked for screen readers. */
export function Pagination({ page, pageCount, onPage, onPastLastPage }: Props) {
  const { t } = useTranslation('ui')
  const firstPageReason = page <= 1 ? t('list.firstPage') : null
  const isLastPage = page >= pageCount
  return (
    <nav className="pages" aria-label={t('list.pages')}>
      <Button kind="plain" icon="left" isIconOnly disabledReason={firstPageReason} onClick={() => onPage(page - 1)}>
        {t('list.previous')}
      </Button>
      {getPageNumbers(page, pageCount).map((pageNumber, index) =>
        pageNumber === 0 ? (
          // biome-ignore lint: gaps have no other name than their place
          <span key={`gap ${index}`} className="gap" aria-hidden="true">
            …
          </span>
        ) : (
          <button
            key={pageNumber}
            type="button"
            className="page-number"
            aria-label={t('list.goTo', { page: formatNumber(pageNumber) })}
            aria-current={pageNumber === page ? 'page' : undefined}
            onClick={() => onPage(pageNumber)}
          >
            {formatNumber(pageNumber)}
          </button>
        ),
      )}
      <Button
        kind="plain"
        icon="right"
        isIconOnly
        disabledReason={isLastPage && !onPastLastPage && t('list.lastPage')}
        onClick={() => (isLastPage ? onPastLastPage?.() : onPage(page + 1))}
      >
        {t('list.next')}
      </Button>
    </nav>
  )
}
