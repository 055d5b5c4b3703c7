import { createAction } from '@reduxjs/toolkit'
import { act, renderHook } from '@testing-library/react'
import type { ReactNode } from 'react'
import { Router } from 'react-router-dom'
import { expect, it } from 'vitest'
import { userListSpec } from '#contract/users.ts'
import { StoreProvider } from '#state/use-store.ts'
import { defineListView } from '#state/list-url.ts'
import { type ThunkExtra, createStore } from '#state/store.ts'
import { useListUrl } from '#state/use-list-url.ts'

const urlFormat = defineListView(userListSpec, {})
const slice = {
  selectSavedQuery: () => '',
  viewChanged: createAction<string, 'users/viewChanged'>('users/viewChanged'),
}

it('useListUrl returns the selected view until the address changes; after Back it returns the view of the address', () => {
  const store = createStore({} as ThunkExtra)
  const navigations: unknown[] = []
  // Simulates a router that has not changed its location yet.
  const navigator = {
    push: (location: unknown) => navigations.push(location),
    replace() {},
    go() {},
    createHref: String,
  }
  const wrapper = ({ children }: { children: ReactNode }) => (
    <StoreProvider store={store}>
      <Router location="/app/user?page=2" navigator={navigator}>
        {children}
      </Router>
    </StoreProvider>
  )
  const { result } = renderHook(() => useListUrl(urlFormat, slice), { wrapper })
  act(() => result.current.changeView({ sort: ['status', 'desc'] }))
  expect(navigations).toMatchObject([{ search: '?sortField=status&sortOrder=desc' }])
  expect(result.current.view).toMatchObject({ sort: ['status', 'desc'], page: 1 })
  act(() => void dispatchEvent(new PopStateEvent('popstate')))
  expect(result.current.view).toMatchObject({ sort: ['name', 'asc'], page: 2 })
})
