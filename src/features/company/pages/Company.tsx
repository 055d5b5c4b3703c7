import '#ui/icons/app-icons.ts'
import { useCallback, useState } from 'react'
import { readSingleRow } from '#local/lists/read-row.ts'
import { useDispatch, useSelector, useSignedInSession } from '#state/use-store.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { useFetch } from '#state/use-fetch.ts'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { Page } from '#ui/page/Page.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { CompanyEdit } from '#features/company/components/CompanyEdit.tsx'
import { type CompanyRow, getCompanyPath } from '#features/company/form.ts'
import { fetchCompany, selectCompany } from '#features/company/slice.ts'

/** The company's profile as a form (M35). Works without a network once it has been read. */
export function Company() {
  const { t } = useTranslation('company')
  const dispatch = useDispatch()
  const { user } = useSignedInSession()
  const { problem } = useSelector(selectCompany)
  const id = user.company_id
  const refetch = useCallback(() => void dispatch(fetchCompany(id)), [dispatch, id])
  useFetch(refetch)
  const currentRow = useLiveQuery(
    async () => await readSingleRow<CompanyRow>(getCompanyPath(id), 'companies', id),
    [id],
  )
  const [displayedRow, setDisplayedRow] = useState(currentRow)
  // A session that ends takes the rows away first: the form stays until its page goes, with what stands typed in it.
  if (currentRow && currentRow !== displayedRow) setDisplayedRow(currentRow)
  return (
    <Page title={t('title')} intro={t('lead')} width="narrow">
      {displayedRow && <CompanyEdit overlaidRow={displayedRow} />}
      {!displayedRow && !problem && <Skeleton />}
      {!displayedRow && problem?.code === 'OFFLINE' && (
        // Nothing is wrong, and nothing has to be pressed: it is asked for again when the line is back.
        <section className="card">
          <EmptyState icon="offline" title={t('missing')}>
            <p>{t('missingOffline')}</p>
          </EmptyState>
        </section>
      )}
      {!displayedRow && problem?.code !== 'OFFLINE' && (
        <ProblemNote problem={problem} title={t('missing')} onRetry={refetch} />
      )}
    </Page>
  )
}
