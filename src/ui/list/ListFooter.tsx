import type { ReactNode } from 'react'
import { Button } from '#ui/display/Button.tsx'
import { Select } from '#ui/form/Select.tsx'
import { type ListFreshness, Freshness, formatNumber } from '#ui/list/Freshness.tsx'
import { Pagination } from '#ui/list/Pagination.tsx'
import { useTranslation } from 'react-i18next'

export interface ListFooterProps {
  rowCount: number
  count: number
  /** Returns, for example, "68 users". */
  formatCount: (count: number) => string
  page: number
  pageSize: number
  /** `isCorrection` is true if the page of the address does not exist. Then the change adds no history entry. */
  onPage: (page: number, isCorrection?: boolean) => void
  onPageSize: (pageSize: number) => void
  /** On a phone: the list shows all rows up to this page, and a button for more. */
  isGrowing?: boolean
  /** Replaces the page numbers, for a list with more pages than page numbers can reach. */
  pager?: ReactNode
  freshness: ListFreshness
  refreshButton?: ReactNode
}

export function ListFooter(props: ListFooterProps) {
  const { rowCount, count, page, pageSize, freshness, refreshButton, isGrowing, pager, onPage, onPageSize } = props
  const { t } = useTranslation('ui')
  const pageCount = Math.max(1, Math.ceil(count / pageSize))
  const hasMoreRows = rowCount > 0 && rowCount < count
  return (
    <div className="list-foot">
      {/* Announces the result of a new filter or page. */}
      <p role="status">
        {rowCount > 0 && (
          <>
            <RowCount {...props} hasPages={pageCount > 1 && !pager && !isGrowing} />
            <Freshness freshness={freshness} matchCount={count} />
          </>
        )}
      </p>
      {refreshButton}
      {!isGrowing && (
        <>
          <label className="page-size">
            {t('list.rowsPerPage')}
            <Select value={pageSize} onChange={(event) => onPageSize(Number(event.target.value))}>
              {pageSizes.map((sizeOption) => (
                <option key={sizeOption}>{sizeOption}</option>
              ))}
            </Select>
          </label>
          {pager ?? (pageCount > 1 && <Pagination page={page} pageCount={pageCount} onPage={onPage} />)}
        </>
      )}
      {isGrowing && hasMoreRows && (
        <div className="list-more">
          <Button onClick={() => onPage(page + 1)}>{t('list.more')}</Button>
        </div>
      )}
    </div>
  )
}

const pageSizes = [10, 20, 30, 40, 50]

/** Displays "1–20 of 68", "68 users", or on a phone "68 users" and "20 shown". */
function RowCount({
  rowCount,
  count,
  formatCount,
  page,
  pageSize,
  freshness,
  isGrowing,
  hasPages,
}: ListFooterProps & { hasPages: boolean }) {
  const { t } = useTranslation('ui')
  const from = (page - 1) * pageSize + 1
  const range = { from: formatNumber(from), to: formatNumber(from + rowCount - 1), number: formatNumber(count) }
  if (hasPages) return <span>{t('list.range', range)}</span>
  return (
    <>
      {!freshness.searchScope && <span>{formatCount(count)}</span>}
      {isGrowing && rowCount < count && <span>{t('list.shown', { number: formatNumber(rowCount) })}</span>}
    </>
  )
}
