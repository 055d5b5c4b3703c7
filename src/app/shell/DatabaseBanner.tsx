import { useTranslation } from 'react-i18next'
import { localProblem, type Problem } from '#contract/problem.ts'
import { useConnection } from '#state/hooks.ts'
import { Button } from '#ui/display/Button.tsx'
import { problemWords } from '#ui/i18n/problem-messages.ts'
import { Icon } from '#ui/icons/Icon.tsx'

const codes = { silent: 'STORAGE_SILENT', lost: 'STORAGE_LOST' } as const

export const databaseProblem = (database: 'ready' | keyof typeof codes): Problem | undefined =>
  database === 'ready' ? undefined : localProblem(codes[database])

/** Names a database that does not answer, and what to do: every page waits for it. */
export function DatabaseBanner() {
  const { t } = useTranslation('shell')
  const { database } = useConnection()
  const problem = databaseProblem(database)
  if (!problem) return null
  return (
    <div className="update lost" role="alert">
      <p>
        <Icon name="alert" />
        <span>{problemWords(problem)}</span>
      </p>
      <Button icon="refresh" onClick={() => location.reload()}>
        {t('reload')}
      </Button>
    </div>
  )
}
