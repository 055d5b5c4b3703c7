import { useCallback } from 'react'
import { appsFills } from '#contract/apps.ts'
import { modulesFills } from '#contract/modules.ts'
import { clientTypeOf } from '#domain/access.ts'
import { useClientType } from '#state/client-type.ts'
import { useDispatch } from '#state/hooks.ts'
import { pageOf, plainListing } from '#state/list-url.ts'
import { useFetch } from '#state/use-fetch.ts'
import { useList } from '#state/use-list.ts'
import { wholeApps, wholeModules } from '#features/modules/slice.ts'

const modulesQuery = pageOf(plainListing(modulesFills))
const appsQuery = pageOf(plainListing(appsFills))

/** Brings the apps to the device beside a list, so that a form and a test that are opened without a line have them. */
export function useKeptApps(): void {
  const dispatch = useDispatch()
  useFetch(useCallback(() => void dispatch(wholeApps.fetchList({ scope: null, query: appsQuery })), [dispatch]))
}

/**
 * All modules of the client type and all apps, from the device, whole as soon as it has them: what depends on what, what an app
 * can be told, what a set lacks. `whole`: nothing of it is missing here.
 */
export function useCatalogue() {
  const type = useClientType(clientTypeOf)
  const modules = useList(wholeModules, { scope: null, view: { ...modulesQuery, type } })
  const apps = useList(wholeApps, { scope: null, view: appsQuery })
  return {
    type,
    modules: modules.rows?.map(({ row }) => row),
    apps: apps.rows?.map(({ row }) => row),
    whole: modules.freshness.complete && apps.freshness.complete,
    asOf: modules.freshness.asOf,
  }
}
