import type { AccessLevel } from '#domain/access.ts'
import { type Language, type UserTitle, type UserStatus, userStatus } from '#domain/accounts/users.ts'
import { acmeOrders, type DemoOrder, globexOrders } from '#demo/sample-data/orders.ts'

export const demoPassword = 'Portal-demo-1'

export interface DemoUser {
  email: string
  name: string
  title: UserTitle
  status: UserStatus
  language: Language
  admin: boolean
  order: boolean
  alert: boolean
  accessLevel: AccessLevel
  /** Days between the creation or the last change of the account and the first start of the demo. */
  createdDaysAgo: number
  changedDaysAgo: number
}

export interface DemoService {
  code: string
  name: string
  url: string
  /** Installed version by app code. */
  apps: Record<string, string>
}

export interface DemoCompany {
  code: string
  name: string
  country: 'CN' | 'HK'
  province: string | null
  city: string
  addr1: string
  addr2: string | null
  tel: string
  email: string
  website: string
  tax_number: string | null
  services: DemoService[]
  orders: readonly DemoOrder[]
  users: DemoUser[]
}

const { activated, deactivated, disabled, deleted } = userStatus

const buildUser = (email: string, name: string, title: UserTitle, overrides: Partial<DemoUser> = {}): DemoUser => ({
  email,
  name,
  title,
  status: activated,
  language: 'en',
  admin: false,
  order: false,
  alert: false,
  accessLevel: 0,
  createdDaysAgo: 400,
  changedDaysAgo: 30,
  ...overrides,
})

const allRights = { admin: true, order: true, alert: true }

const englishNames: [name: string, title: UserTitle][] = [
  ['Ada Wong', 1],
  ['Adrian Lau', 0],
  ['Agnes Fung', 1],
  ['Alan Yip', 0],
  ['Alice Poon', 2],
  ['Andrew Mok', 0],
  ['Angela Tam', 1],
  ['Benny Kwok', 0],
  ['Bonnie Siu', 1],
  ['Carmen Ho', 1],
  ['Cecilia Leung', 2],
  ['Chris Ng', 0],
  ['Connie Chow', 1],
  ['Daniel Tsang', 0],
  ['Derek Hui', 0],
  ['Edith Mak', 2],
  ['Edmund Lee', 0],
  ["Fiona O'Neill", 1],
  ['Frances Choi', 1],
  ['Gary Szeto', 0],
  ['Grace Kwan', 1],
  ['Harold Cheung', 0],
  ['Helen Au-Yeung', 2],
  ['Irene Lo', 1],
  ['Ivan Petrov', 0],
  ['Jasmine Sharma', 1],
  ['Joe Tang', 0],
  ['Karen Ip', 1],
  ['Keith Ma', 0],
  ['Lydia Müller', 1],
]
const chineseNames: [name: string, email: string, title: UserTitle][] = [
  ['陈美玲', 'chen.meiling', 1],
  ['陈志强', 'chen.zhiqiang', 0],
  ['邓丽华', 'deng.lihua', 2],
  ['丁小龙', 'ding.xiaolong', 0],
  ['方雅琴', 'fang.yaqin', 1],
  ['冯国栋', 'feng.guodong', 0],
  ['高晓燕', 'gao.xiaoyan', 1],
  ['何建平', 'he.jianping', 0],
  ['胡静怡', 'hu.jingyi', 1],
  ['黄伟明', 'huang.weiming', 0],
  ['李思敏', 'li.simin', 1],
  ['李子轩', 'li.zixuan', 0],
  ['梁嘉欣', 'liang.jiaxin', 1],
  ['林文杰', 'lin.wenjie', 0],
  ['刘慧敏', 'liu.huimin', 2],
  ['罗俊峰', 'luo.junfeng', 0],
  ['马天宇', 'ma.tianyu', 0],
  ['欧阳雪', 'ouyang.xue', 1],
  ['潘晓东', 'pan.xiaodong', 0],
  ['孙佳怡', 'sun.jiayi', 1],
  ['王芳', 'wang.fang', 2],
  ['王浩然', 'wang.haoran', 0],
  ['吴秀英', 'wu.xiuying', 2],
  ['谢宇航', 'xie.yuhang', 0],
  ['徐若兰', 'xu.ruolan', 1],
  ['杨振华', 'yang.zhenhua', 0],
  ['叶诗涵', 'ye.shihan', 1],
  ['张建国', 'zhang.jianguo', 0],
  ['赵雨桐', 'zhao.yutong', 1],
  ['周子墨', 'zhou.zimo', 0],
]

/** Returns active for most users, but each other status for some. It depends on the index only, so the data is always the same. */
function getStatus(index: number): UserStatus {
  if (index % 17 === 5) return deleted
  if (index % 9 === 4) return disabled
  return index % 4 === 2 ? deactivated : activated
}

const toLatin = (name: string) =>
  name
    .normalize('NFD')
    .replace(/[^\w\s-]/g, '')
    .toLowerCase()
    .replace(/[\s-]+/g, '.')

function buildAcmeStaff(): DemoUser[] {
  const people = englishNames.flatMap(([name, title], index) => {
    const [chineseName, chineseMail, chineseTitle] = chineseNames[index] ?? ['', '', 0]
    return [
      { name, mail: toLatin(name), title, language: 'en' as const },
      { name: chineseName, mail: chineseMail, title: chineseTitle, language: 'zh' as const },
    ]
  })
  return people.map(({ name, mail, title, language }, index) =>
    buildUser(`${mail}@acme.example`, name, title, {
      language,
      status: getStatus(index),
      order: index % 6 === 0,
      alert: index % 5 === 1,
      createdDaysAgo: 700 - index * 11,
      changedDaysAgo: Math.max(0, 690 - index * 11 - ((index * 37) % 300)),
    }),
  )
}

export const demoCompanies: DemoCompany[] = [
  {
    code: 'm18',
    name: 'M18 Cloud Services',
    country: 'HK',
    province: null,
    city: 'Hong Kong',
    addr1: '18 Harbour Road',
    addr2: 'Wan Chai',
    tel: '+852-31000018',
    email: 'support@m18.example',
    website: 'https://m18.example',
    tax_number: '58104427',
    services: [],
    orders: [],
    users: [
      buildUser('staff@m18.example', 'Stella Chan', 1, { ...allRights, accessLevel: 100, createdDaysAgo: 900 }),
      buildUser('clerk@m18.example', 'Calvin Lai', 0, { createdDaysAgo: 300 }),
    ],
  },
  {
    code: 'acme',
    name: 'Acme Trading Limited',
    country: 'HK',
    province: null,
    city: 'Hong Kong',
    addr1: 'Unit 1203, Trade Tower',
    addr2: '88 Canton Road, Tsim Sha Tsui',
    tel: '+852-21104400',
    email: 'office@acme.example',
    website: 'https://acme.example',
    tax_number: '61320985',
    services: [
      {
        code: 'acmetrade',
        name: 'Acme trading',
        url: 'https://www.acmetrade.m18.example/',
        apps: { framework: '1.10', barcode: '2.1' },
      },
      {
        code: 'acmetest',
        name: 'Acme, to try things out',
        url: 'https://acmetest.m18.example/',
        apps: { framework: '1.10' },
      },
    ],
    orders: acmeOrders,
    users: [
      buildUser('admin@acme.example', 'Amelia Chan', 1, { ...allRights, createdDaysAgo: 720, changedDaysAgo: 90 }),
      buildUser('user@acme.example', 'Victor Yeung', 0, { createdDaysAgo: 500, changedDaysAgo: 120 }),
      ...buildAcmeStaff(),
    ],
  },
  {
    code: 'globex',
    name: '环球贸易有限公司',
    country: 'CN',
    province: '广东省',
    city: '深圳市',
    addr1: '南山区科技园中区 6 号',
    addr2: null,
    tel: '+86-75526001188',
    email: 'office@globex.example',
    website: 'https://globex.example',
    tax_number: null,
    // The app is not installed in its newest version, so that a change of the contract asks about the version (D44).
    services: [
      {
        code: 'globex01',
        name: '环球贸易',
        url: 'https://www.globex01.m18.example/',
        apps: { framework: '1.9' },
      },
    ],
    orders: globexOrders,
    users: [buildUser('admin@globex.example', '林国华', 0, { ...allRights, language: 'zh', createdDaysAgo: 365 })],
  },
]
