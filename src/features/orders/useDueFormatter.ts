import '#features/orders/due-words.ts'
import { useCallback } from 'react'
import { listModuleChoices } from '#contract/modules.ts'
import { clientTypes } from '#domain/access.ts'
import { describeDue, describeNamedDue, type DueSubject } from '#domain/dues.ts'
import { readResponseOutput } from '#local/lists/responses.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { useTranslation } from 'react-i18next'
import { getModuleNames } from '#features/orders/module-names.ts'

/**
 * Returns a function that describes a due. With a name it says of which service: "RDS backup of 环球贸易". Modules have their names if the
 * device has them, else their codes (decision 76).
 */
export function useDueFormatter(): (dueSubject: DueSubject, name?: string) => string {
  const { t } = useTranslation('dues')
  const modules = useLiveQuery(readStoredModules, [], noModules) ?? noModules
  return useCallback(
    (dueSubject, name) => {
      const translate = t as (key: string, values: Record<string, string>) => string
      const namedSubject = nameModules(dueSubject, getModuleNames(modules))
      return name === undefined ? describeDue(namedSubject, translate) : describeNamedDue(namedSubject, name, translate)
    },
    [t, modules],
  )
}

type StoredModules = { code: string; name: string }[]

const noModules: StoredModules = []

/** Nothing is requested: a list of amounts needs no list of modules. */
async function readStoredModules(): Promise<StoredModules> {
  const lists = await Promise.all(
    clientTypes.map(async (type) => await readResponseOutput(listModuleChoices, { query: { type } })),
  )
  return lists.flatMap((rows) => rows ?? []).map(({ code, name }) => ({ code, name }))
}

function nameModules(dueSubject: DueSubject, namesByCode: ReadonlyMap<string, string>): DueSubject {
  const { change } = dueSubject
  if (!change) return dueSubject
  const toNames = (codes: readonly string[]) => codes.map((code) => namesByCode.get(code) ?? code)
  return { ...dueSubject, change: { ...change, added: toNames(change.added), removed: toNames(change.removed) } }
}
