import '#ui/icons.ts'
import { useCallback, useEffect, useState } from 'react'
import { readSingle } from '#local/single.ts'
import { useConnection, useDispatch, useSelector, useSignedIn } from '#state/hooks.ts'
import { useLive } from '#state/live.ts'
import { problemOf } from '#state/status.ts'
import { EmptyState } from '#ui/EmptyState.tsx'
import { Page } from '#ui/Page.tsx'
import { ProblemNote } from '#ui/ProblemNote.tsx'
import { Skeleton } from '#ui/Skeleton.tsx'
import { useWords } from '#ui/words.ts'
import { CompanyEdit } from '#features/company/components/CompanyEdit.tsx'
import { type CompanyRow, pathOf } from '#features/company/form.ts'
import { askCompany, selectCompany } from '#features/company/slice.ts'

/** The company's profile as a form (M35). Works without a network once it has been read. */
export function Company() {
  const t = useWords('company')
  const dispatch = useDispatch()
  const { user } = useSignedIn()
  const { line } = useConnection()
  const { reading } = useSelector(selectCompany)
  const id = user.company_id
  const ask = useCallback(() => void dispatch(askCompany(id)), [dispatch, id])
  // biome-ignore lint: the line is not used, its coming back is the reason
  useEffect(ask, [ask, line === 'online'])
  const problem = problemOf(reading)
  const here = useLive(async () => await readSingle<CompanyRow>(pathOf(id), 'companies', id), [id])
  const [shown, setShown] = useState(here)
  // A session that ends takes the rows away first: the form stays until its page goes, with what stands typed in it.
  if (here && here !== shown) setShown(here)
  return (
    <Page title={t('title')} intro={t('lead')} width="narrow">
      {shown && <CompanyEdit shown={shown} />}
      {!shown && reading.is !== 'failed' && <Skeleton />}
      {!shown && problem?.code === 'OFFLINE' && (
        // Nothing is wrong, and nothing has to be pressed: it is asked for again when the line is back.
        <section className="card">
          <EmptyState icon="offline" title={t('missing')}>
            <p>{t('missingOffline')}</p>
          </EmptyState>
        </section>
      )}
      {!shown && problem?.code !== 'OFFLINE' && <ProblemNote problem={problem} title={t('missing')} onRetry={ask} />}
    </Page>
  )
}
