import { getDatabaseProblem } from '#app/shell/DatabaseBanner.tsx'
import { useConnection, useSession } from '#state/use-store.ts'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'

/** Shown while the session or the page's code is loading. Shows a problem if the session or the database cannot be read. */
export function Loading() {
  const { t } = useTranslation('shell')
  const session = useSession()
  const { databaseState } = useConnection()
  const problem = (session.kind === 'unknown' && session.problem) || getDatabaseProblem(databaseState)
  return (
    <div className="page narrow" aria-busy={!problem}>
      <p className="sr-only" role="status">
        {problem ? '' : t('loading')}
      </p>
      {problem ? (
        <>
          <h1>{t('notLoaded')}</h1>
          <ProblemNote problem={problem} onRetry={() => location.reload()} />
        </>
      ) : (
        <Skeleton lines={5} />
      )}
    </div>
  )
}
