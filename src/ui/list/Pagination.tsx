import { Button } from '#ui/display/Button.tsx'
import { number } from '#ui/list/Freshness.tsx'
import { useTranslation } from 'react-i18next'

/** First, last, and the neighbours of where one is; 0 stands for a gap. */
export function pageNumbers(page: number, pages: number): number[] {
  const near = [1, page - 1, page, page + 1, pages].filter((at) => at >= 1 && at <= pages)
  const sorted = [...new Set(near)].sort((a, b) => a - b)
  return sorted.flatMap((at, index) => {
    const before = sorted[index - 1] ?? 0
    // A gap of one page is that page: dots would take the same room.
    if (at - before === 2) return [at - 1, at]
    return at - before > 2 ? [0, at] : [at]
  })
}

interface Props {
  page: number
  pages: number
  onPage: (page: number) => void
  /** Behind the last page with a number there is more. */
  onBeyond?: (() => void) | null
}

/** The pages of a list, by name; the current one is marked for readers too. */
export function Pages({ page, pages, onPage, onBeyond }: Props) {
  const { t } = useTranslation('ui')
  const first = page <= 1 ? t('list.firstPage') : null
  const last = page >= pages
  return (
    <nav className="pages" aria-label={t('list.pages')}>
      <Button kind="plain" icon="left" bare whyNot={first} onClick={() => onPage(page - 1)}>
        {t('list.previous')}
      </Button>
      {pageNumbers(page, pages).map((at, index) =>
        at === 0 ? (
          // biome-ignore lint: gaps have no other name than their place
          <span key={`gap ${index}`} className="gap" aria-hidden="true">
            …
          </span>
        ) : (
          <button
            key={at}
            type="button"
            className="page-number"
            aria-label={t('list.goTo', { page: number(at) })}
            aria-current={at === page ? 'page' : undefined}
            onClick={() => onPage(at)}
          >
            {number(at)}
          </button>
        ),
      )}
      <Button
        kind="plain"
        icon="right"
        bare
        whyNot={last && !onBeyond && t('list.lastPage')}
        onClick={() => (last ? onBeyond?.() : onPage(page + 1))}
      >
        {t('list.next')}
      </Button>
    </nav>
  )
}
