import { useCallback } from 'react'
import { appListSpec } from '#contract/apps.ts'
import { moduleListSpec } from '#contract/modules.ts'
import { getClientType } from '#domain/access.ts'
import { useClientType } from '#state/client-type.ts'
import { useDispatch } from '#state/use-store.ts'
import { toPageQuery, plainListState } from '#state/list-url.ts'
import { useFetch } from '#state/use-fetch.ts'
import { useList } from '#state/use-list.ts'
import { allApps, allModules } from '#features/modules/slice.ts'

const modulesQuery = toPageQuery(plainListState(moduleListSpec))
const appsQuery = toPageQuery(plainListState(appListSpec))

/** Brings the apps to the device beside a list, so that a form and a test that are opened without a line have them. */
export function usePreloadApps(): void {
  const dispatch = useDispatch()
  useFetch(useCallback(() => void dispatch(allApps.fetchList({ scope: null, query: appsQuery })), [dispatch]))
}

/**
 * All modules of the client type and all apps, from the device, whole as soon as it has them: what depends on what, what an app
 * can be told, what a set lacks. `isComplete`: nothing of it is missing here.
 */
export function useCatalogue() {
  const type = useClientType(getClientType)
  const modules = useList(allModules, { scope: null, view: { ...modulesQuery, type } })
  const apps = useList(allApps, { scope: null, view: appsQuery })
  return {
    type,
    modules: modules.rows?.map(({ row }) => row),
    apps: apps.rows?.map(({ row }) => row),
    isComplete: modules.freshness.complete && apps.freshness.complete,
    asOf: modules.freshness.asOf,
  }
}
