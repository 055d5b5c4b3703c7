/** Tests the name of a client build: every node that builds the same commit must get the same name. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildId, buildName, chooseBuildNumber, readCommitSeconds } from '#scripts/build-id.mjs'

const now = new Date('2026-05-06T07:08:09.123Z')
const commit = Date.parse('2026-01-02T03:04:05Z') / 1000

describe('the number of a build', () => {
  it.each([
    [{ BUILD_NUMBER: '77', SOURCE_DATE_EPOCH: '1' }, commit, '77'],
    [{ SOURCE_DATE_EPOCH: '1' }, commit, '19700101000001'],
    [{ SOURCE_DATE_EPOCH: '0' }, commit, '19700101000000'],
    [{ SOURCE_DATE_EPOCH: '253402300799' }, null, '99991231235959'],
    [{ BUILD_NUMBER: '', SOURCE_DATE_EPOCH: '' }, commit, '20260102030405'],
    [{}, null, '20260506070809'],
  ])('of %j and a commit of %s is %s', (env, seconds, number) => {
    expect(chooseBuildNumber(env, () => seconds, now)).toBe(number)
  })

  it.each(['0', '-1', '1.5', '1e3', 'abc', ' 7', '7\n', '1234567890123456', '٧'])('must not be "%s"', (value) => {
    expect(() => chooseBuildNumber({ BUILD_NUMBER: value }, () => null, now)).toThrow(/^BUILD_NUMBER must be/)
  })

  it.each(['-1', '1.5', 'now', '1e9', '253402300800', '999999999999', ' 1'])(
    'is refused for the epoch "%s"',
    (value) => {
      expect(() => chooseBuildNumber({ SOURCE_DATE_EPOCH: value }, () => null, now)).toThrow(
        /^SOURCE_DATE_EPOCH must be/,
      )
    },
  )
})

describe('the time of the commit', () => {
  let root = ''
  const git = (...args: string[]) => {
    const env = { ...process.env, GIT_COMMITTER_DATE: '2026-01-02T03:04:05Z', GIT_CONFIG_GLOBAL: '/dev/null' }
    const { status, stderr } = spawnSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b.c', ...args], {
      cwd: root,
      env,
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(stderr)
  }
  const write = (name: string, text: string) => writeFileSync(join(root, name), text)

  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'portal-build-id-'))
    mkdirSync(join(root, 'src'))
    write('src/main.ts', 'one')
    write('server.ts', 'one')
  })
  afterAll(() => rmSync(root, { recursive: true }))

  it('is unknown outside a repository, and known only while the sources of the client are those of the commit', () => {
    expect(readCommitSeconds(root)).toBeNull()
    git('init', '--quiet')
    expect(readCommitSeconds(root)).toBeNull()
    write('.gitignore', '*.log\n')
    git('add', '-A')
    git('commit', '--quiet', '-m', 'Start')
    expect(readCommitSeconds(root)).toBe(commit)
    expect(buildName(root, buildId(root))).toBe(`20260102030405-${buildId(root)}`)
    const changes: [string, string, boolean][] = [
      ['server.ts', 'two', true],
      ['src/new.ts', 'new', false],
      ['src/ignored.log', 'new', false],
      ['src/main.ts', 'two', false],
    ]
    for (const [name, text, isKnown] of changes) {
      write(name, text)
      expect([name, readCommitSeconds(root)]).toEqual([name, isKnown ? commit : null])
      git('clean', '-fdxq')
      git('checkout', '-q', '.')
    }
    // A hook of another repository must not decide.
    process.env['GIT_DIR'] = join(root, 'nowhere')
    try {
      expect(readCommitSeconds(root)).toBe(commit)
    } finally {
      delete process.env['GIT_DIR']
    }
  })
})
