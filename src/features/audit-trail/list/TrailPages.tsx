import { Button } from '#ui/display/Button.tsx'
import { Pagination } from '#ui/list/Pagination.tsx'
import { useTranslation } from 'react-i18next'
import { getLastPage } from '#features/audit-trail/list/trail-view.ts'
import type { TrailList } from '#features/audit-trail/list/useTrailList.ts'

/**
 * Shows page numbers for the entries that the server counts. After the last numbered page there is only a button for the next page; the
 * browser's Back returns to the previous one.
 */
export function TrailPages({ list: { view, rows = [], changeView } }: { list: TrailList }) {
  const { t } = useTranslation('ui')
  const lastRow = rows.at(-1)
  const goToNext = lastRow && rows.length === view.results ? () => changeView({ after: lastRow.id }) : null
  if (view.after === null)
    return (
      <Pagination
        page={view.page}
        pageCount={getLastPage(view)}
        onPage={(page) => changeView({ page })}
        onPastLastPage={goToNext}
      />
    )
  return (
    <nav className="pages" aria-label={t('list.pages')}>
      <button
        type="button"
        className="page-number"
        aria-label={t('list.goTo', { page: 1 })}
        onClick={() => changeView({ page: 1 })}
      >
        1
      </button>
      <span className="gap" aria-hidden="true">
        …
      </span>
      <Button
        kind="plain"
        icon="right"
        isIconOnly
        disabledReason={goToNext ? null : t('list.lastPage')}
        onClick={() => goToNext?.()}
      >
        {t('list.next')}
      </Button>
    </nav>
  )
}
