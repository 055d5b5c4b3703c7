import { useCallback } from 'react'
import { appListSpec } from '#contract/staff/apps.ts'
import { moduleListSpec } from '#contract/modules.ts'
import { type ClientType, getClientType } from '#domain/access.ts'
import { useClientType } from '#state/client-type.ts'
import { useDispatch } from '#state/use-store.ts'
import { toPageQuery, plainListState } from '#state/list-url.ts'
import { useFetch } from '#state/use-fetch.ts'
import { useList } from '#state/use-list.ts'
import { allApps, allModules } from '#features/modules/slice.ts'

const modulesQuery = toPageQuery(plainListState(moduleListSpec))
const appsQuery = toPageQuery(plainListState(appListSpec))

/** Loads the apps together with a list, so that a form or a validation opened offline has them. */
export function usePreloadApps(): void {
  const dispatch = useDispatch()
  useFetch(useCallback(() => void dispatch(allApps.fetchList({ scope: null, query: appsQuery })), [dispatch]))
}

/**
 * Returns all modules of a client type, by default the selected one, and all apps, from the device. Forms and validations use them to find
 * dependencies, settings and missing apps. `isComplete`: the device has all of them. `isLoading`: the device has none of them yet, and they
 * are being read.
 */
export function useCatalogue(ownType?: ClientType) {
  const selectedType = useClientType(getClientType)
  const type = ownType ?? selectedType
  const modules = useList(allModules, { scope: null, view: { ...modulesQuery, type } })
  const apps = useList(allApps, { scope: null, view: appsQuery })
  return {
    type,
    modules: modules.rows?.map(({ row }) => row),
    apps: apps.rows?.map(({ row }) => row),
    isLoading: [modules, apps].some(
      ({ rows, freshness: { asOf, isCached }, problem }) =>
        rows === undefined || (asOf === null && !isCached && problem === null),
    ),
    isComplete: modules.freshness.complete && apps.freshness.complete,
    asOf: modules.freshness.asOf,
  }
}
