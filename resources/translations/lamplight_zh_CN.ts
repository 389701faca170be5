<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>AboutDialog</name>
    <message>
        <source>About Lamplight</source>
        <translation>关于 Lamplight</translation>
    </message>
    <message>
        <source>Ask your own files, offline.</source>
        <translation>离线向自己的文件提问。</translation>
    </message>
    <message>
        <source>What it promises</source>
        <translation>它的承诺</translation>
    </message>
    <message>
        <source>Chat model: {model}</source>
        <translation>对话模型：{model}</translation>
    </message>
    <message>
        <source>With the web switched off it opens no network connection. It works with the cable pulled.</source>
        <translation>网络搜索关闭时，它不会建立任何网络连接，拔掉网线也能用。</translation>
    </message>
    <message>
        <source>With the web switched on, only words that you have written are sent, never text from your files. The steps show them afterwards.</source>
        <translation>网络搜索打开时，只会发送您自己写的字词，绝不发送您文件中的内容。事后可以在步骤中看到发送了什么。</translation>
    </message>
    <message>
        <source>Every quote from a file is the text of that file as it was read, word for word.</source>
        <translation>每一处来自文件的引文，都是读取时该文件的原文，一字不差。</translation>
    </message>
    <message>
        <source>What you delete here is erased from Lamplight&apos;s databases, not just hidden.</source>
        <translation>您在这里删除的内容会从 Lamplight 的数据库中抹去，而不只是隐藏起来。</translation>
    </message>
    <message>
        <source>Your files are read where they are. They are never changed, moved or uploaded.</source>
        <translation>文件在原处读取，绝不会被修改、移动或上传。</translation>
    </message>
    <message>
        <source>Everything it keeps of yours lies in {folder}</source>
        <translation>它保存的您的一切都在 {folder}</translation>
    </message>
    <message>
        <source>A question you have sent is on the disk before anything is done about it.</source>
        <translation>您发出的问题会先存到磁盘，然后才开始处理。</translation>
    </message>
</context>
<context>
    <name>Answer</name>
    <message>
        <source>From your files and the web</source>
        <translation>来自您的文件和网络</translation>
    </message>
    <message>
        <source>From your files</source>
        <translation>来自您的文件</translation>
    </message>
    <message>
        <source>From the web</source>
        <translation>来自网络</translation>
    </message>
    <message>
        <source>From the model&apos;s own knowledge, not from your files</source>
        <translation>来自模型自身的知识，而非您的文件</translation>
    </message>
    <message>
        <source>Your files do not say</source>
        <translation>您的文件中没有提到</translation>
    </message>
    <message>
        <source>only in {places}</source>
        <translation>仅在 {places} 中</translation>
    </message>
    <message>
        <source>1 web page</source>
        <translation>1 个网页</translation>
    </message>
    <message>
        <source>{count} web pages</source>
        <translation>{count} 个网页</translation>
    </message>
    <message>
        <source>only {files}</source>
        <translation>仅限 {files}</translation>
    </message>
    <message>
        <source>the web search was not restricted</source>
        <translation>联网搜索不受此限制</translation>
    </message>
    <message>
        <source>1 passage from {files} of {all} files</source>
        <translation>1 个段落，来自 {all} 个文件中的 {files} 个</translation>
    </message>
    <message>
        <source>{passages} passages from {files} of {all} files</source>
        <translation>{passages} 个段落，来自 {all} 个文件中的 {files} 个</translation>
    </message>
    <message>
        <source>1 passage</source>
        <translation>1 个段落</translation>
    </message>
    <message>
        <source>{passages} passages from 1 file</source>
        <translation>{passages} 个段落，来自 1 个文件</translation>
    </message>
    <message>
        <source>{passages} passages from {files} files</source>
        <translation>{passages} 个段落，来自 {files} 个文件</translation>
    </message>
    <message>
        <source>no files in the library yet</source>
        <translation>资料库中还没有文件</translation>
    </message>
    <message>
        <source>searched 1 file</source>
        <translation>已搜索 1 个文件</translation>
    </message>
    <message>
        <source>searched {all} files</source>
        <translation>已搜索 {all} 个文件</translation>
    </message>
    <message>
        <source>Sources:</source>
        <translation>来源：</translation>
    </message>
    <message>
        <source>Closest passages:</source>
        <translation>最接近的段落：</translation>
    </message>
    <message>
        <source>Check this, the sources do not bear it out: {parts}.</source>
        <translation>请核对，来源未能证实：{parts}。</translation>
    </message>
</context>
<context>
    <name>AnswerCard</name>
    <message>
        <source>From the model&apos;s own knowledge, not from your files</source>
        <translation>来自模型自身的知识，而非您的文件</translation>
    </message>
    <message>
        <source>Answer to: {question}</source>
        <translation>对“{question}”的回答</translation>
    </message>
    <message>
        <source>Text of the answer</source>
        <translation>回答正文</translation>
    </message>
    <message>
        <source>Waiting for the model…</source>
        <translation>正在等待模型…</translation>
    </message>
    <message>
        <source>No answer</source>
        <translation>没有回答</translation>
    </message>
    <message>
        <source>Stopped before the end</source>
        <translation>中途停止</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Copy the answer with its sources</source>
        <translation>复制回答及其来源</translation>
    </message>
    <message>
        <source>Ask again</source>
        <translation>重新提问</translation>
    </message>
    <message>
        <source>Steps and sources</source>
        <translation>步骤与来源</translation>
    </message>
</context>
<context>
    <name>Banner</name>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>ConversationController</name>
    <message>
        <source>Just a moment: your question is asked as soon as Lamplight is ready.</source>
        <translation>请稍候：Lamplight 一准备好就会回答您的问题。</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>正在停止…</translation>
    </message>
</context>
<context>
    <name>ConversationList</name>
    <message>
        <source>Delete conversation</source>
        <translation>删除对话</translation>
    </message>
    <message>
        <source>Delete “{title}”?</source>
        <translation>删除“{title}”？</translation>
    </message>
    <message>
        <source>New conversation</source>
        <translation>新对话</translation>
    </message>
    <message>
        <source>Its questions and answers are erased from this computer. Your files stay as they are.</source>
        <translation>其中的问题和回答会从这台电脑上清除。您的文件保持原样。</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>保留</translation>
    </message>
    <message>
        <source>Conversations</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>New</source>
        <translation>新建</translation>
    </message>
    <message>
        <source>New conversation (Ctrl+N)</source>
        <translation>新对话 (Ctrl+N)</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>重命名</translation>
    </message>
    <message>
        <source>Delete…</source>
        <translation>删除…</translation>
    </message>
</context>
<context>
    <name>ConversationListModel</name>
    <message>
        <source>New conversation</source>
        <translation>新对话</translation>
    </message>
</context>
<context>
    <name>Days</name>
    <message>
        <source>files changed on {day}</source>
        <translation>{day} 更改过的文件</translation>
    </message>
    <message>
        <source>files changed from {first} to {last}</source>
        <translation>{first} 至 {last} 更改过的文件</translation>
    </message>
    <message>
        <source>files changed since {day}</source>
        <translation>{day} 以来更改过的文件</translation>
    </message>
    <message>
        <source>files changed up to {day}</source>
        <translation>{day} 及之前更改过的文件</translation>
    </message>
</context>
<context>
    <name>DaysButton</name>
    <message>
        <source>Search only files changed on certain days</source>
        <translation>仅搜索在某些日期更改过的文件</translation>
    </message>
    <message>
        <source>Files changed at any time</source>
        <translation>任何时间更改过的文件</translation>
    </message>
    <message>
        <source>Files changed in the last {count} days</source>
        <translation>最近 {count} 天内更改过的文件</translation>
    </message>
    <message>
        <source>Files changed between two days…</source>
        <translation>两个日期之间更改过的文件…</translation>
    </message>
</context>
<context>
    <name>DaysDialog</name>
    <message>
        <source>Files changed between two days</source>
        <translation>两个日期之间更改过的文件</translation>
    </message>
    <message>
        <source>From</source>
        <translation>从</translation>
    </message>
    <message>
        <source>To</source>
        <translation>到</translation>
    </message>
    <message>
        <source>Both days are included. What counts is when the file was last saved on this computer.</source>
        <translation>包括这两天。以文件在这台电脑上最后一次保存的时间为准。</translation>
    </message>
</context>
<context>
    <name>DocumentDetails</name>
    <message>
        <source>Read again</source>
        <translation>重新读取</translation>
    </message>
</context>
<context>
    <name>DocumentListModel</name>
    <message>
        <source>Single files</source>
        <translation>单独的文件</translation>
    </message>
    <message>
        <source>not found</source>
        <translation>找不到</translation>
    </message>
    <message>
        <source>It is not where it was. Put it back or plug in its drive; if it was renamed, add it anew and remove this one.</source>
        <translation>它已不在原处。请将其放回或接上所在的磁盘；如果改了名，请重新添加，并移除这一项。</translation>
    </message>
</context>
<context>
    <name>DropOverlay</name>
    <message>
        <source>Drop to add to your library</source>
        <translation>松开即可添加到资料库</translation>
    </message>
</context>
<context>
    <name>EmptyLibrary</name>
    <message>
        <source>Drop files or folders here</source>
        <translation>将文件或文件夹拖到这里</translation>
    </message>
    <message>
        <source>PDF, Word, Excel, e-books, mail, any text. They stay on this computer, where they are.</source>
        <translation>PDF、Word、Excel、电子书、邮件以及任何文本文件。它们留在这台电脑上的原处。</translation>
    </message>
    <message>
        <source>Add a folder…</source>
        <translation>添加文件夹…</translation>
    </message>
    <message>
        <source>Add files…</source>
        <translation>添加文件…</translation>
    </message>
</context>
<context>
    <name>Encodings</name>
    <message>
        <source>all languages</source>
        <translation>所有语言</translation>
    </message>
    <message>
        <source>Chinese, simplified</source>
        <translation>简体中文</translation>
    </message>
    <message>
        <source>Chinese, traditional</source>
        <translation>繁体中文</translation>
    </message>
    <message>
        <source>Japanese</source>
        <translation>日文</translation>
    </message>
    <message>
        <source>Korean</source>
        <translation>韩文</translation>
    </message>
    <message>
        <source>Western Europe</source>
        <translation>西欧</translation>
    </message>
    <message>
        <source>Central Europe</source>
        <translation>中欧</translation>
    </message>
    <message>
        <source>Cyrillic</source>
        <translation>西里尔字母</translation>
    </message>
    <message>
        <source>Greek</source>
        <translation>希腊文</translation>
    </message>
    <message>
        <source>Turkish</source>
        <translation>土耳其文</translation>
    </message>
    <message>
        <source>Hebrew</source>
        <translation>希伯来文</translation>
    </message>
    <message>
        <source>Arabic</source>
        <translation>阿拉伯文</translation>
    </message>
    <message>
        <source>Thai</source>
        <translation>泰文</translation>
    </message>
    <message>
        <source>Encoding</source>
        <translation>编码</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>Automatic ({encoding})</source>
        <translation>自动（{encoding}）</translation>
    </message>
</context>
<context>
    <name>LibraryPanel</name>
    <message>
        <source>{ready} of {total} ready</source>
        <translation>已就绪 {ready}/{total}</translation>
    </message>
    <message>
        <source>Remove “{name}” with {files} from the library?</source>
        <translation>从资料库中移除“{name}”（{files}）？</translation>
    </message>
    <message>
        <source>The files themselves stay where they are. Adding the folder again reads them anew.</source>
        <translation>文件本身留在原处。再次添加该文件夹时会重新读取。</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Library</source>
        <translation>资料库</translation>
    </message>
    <message>
        <source>Add files</source>
        <translation>添加文件</translation>
    </message>
    <message>
        <source>Add a folder</source>
        <translation>添加文件夹</translation>
    </message>
    <message>
        <source>Filter by file name</source>
        <translation>按文件名筛选</translation>
    </message>
    <message>
        <source>Files of the library</source>
        <translation>资料库中的文件</translation>
    </message>
    <message>
        <source>No file has this in its name.</source>
        <translation>没有文件名包含这些文字。</translation>
    </message>
    <message>
        <source>The system cannot watch all of your folders, so Lamplight looks for changes there every two minutes.</source>
        <translation>系统无法监视您的所有文件夹，因此 Lamplight 每两分钟检查一次其中的更改。</translation>
    </message>
    <message>
        <source>Open text</source>
        <translation>打开文本</translation>
    </message>
    <message>
        <source>Show in folder</source>
        <translation>在文件夹中显示</translation>
    </message>
    <message>
        <source>Read again</source>
        <translation>重新读取</translation>
    </message>
    <message>
        <source>Remove from library</source>
        <translation>从资料库中移除</translation>
    </message>
</context>
<context>
    <name>LibraryWords</name>
    <message>
        <source>Found by its words so far</source>
        <translation>目前可按字词找到</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>等待中</translation>
    </message>
    <message>
        <source>Indexing {done}/{total}</source>
        <translation>正在建立索引 {done}/{total}</translation>
    </message>
    <message>
        <source>Reading</source>
        <translation>正在读取</translation>
    </message>
    <message>
        <source>Ready · {passages}</source>
        <translation>就绪 · {passages}</translation>
    </message>
    <message>
        <source>Skipped: {reason}</source>
        <translation>已跳过：{reason}</translation>
    </message>
    <message>
        <source>Failed: {reason}</source>
        <translation>失败：{reason}</translation>
    </message>
    <message>
        <source>1 passage</source>
        <translation>1 个段落</translation>
    </message>
    <message>
        <source>{count} passages</source>
        <translation>{count} 个段落</translation>
    </message>
    <message>
        <source>1 file</source>
        <translation>1 个文件</translation>
    </message>
    <message>
        <source>{count} files</source>
        <translation>{count} 个文件</translation>
    </message>
    <message>
        <source>Encoding: {encoding}, chosen by you</source>
        <translation>编码：{encoding}（由您选定）</translation>
    </message>
    <message>
        <source>Encoding: {encoding}</source>
        <translation>编码：{encoding}</translation>
    </message>
    <message>
        <source>{seconds} s</source>
        <translation>{seconds} 秒</translation>
    </message>
    <message>
        <source>{minutes} min</source>
        <translation>{minutes} 分钟</translation>
    </message>
    <message>
        <source>{hours} h {minutes} min</source>
        <translation>{hours} 小时 {minutes} 分钟</translation>
    </message>
</context>
<context>
    <name>LinkQuestion</name>
    <message>
        <source>This address is unusually long. Long addresses can carry text away from your computer.</source>
        <translation>这个网址长得不寻常。过长的网址可能会把文字带出您的电脑。</translation>
    </message>
    <message>
        <source>This address contains text from your files. Opening it would send that text to the site.</source>
        <translation>这个网址含有您文件中的文字。打开它会把这些文字发送给该网站。</translation>
    </message>
    <message>
        <source>Open a link</source>
        <translation>打开链接</translation>
    </message>
    <message>
        <source>Open this address in your browser?</source>
        <translation>要在浏览器中打开这个网址吗？</translation>
    </message>
    <message>
        <source>Open in the browser</source>
        <translation>在浏览器中打开</translation>
    </message>
    <message>
        <source>Don&apos;t open</source>
        <translation>不打开</translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>&amp;File</source>
        <translation>文件(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Ask</source>
        <translation>提问(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>视图(&amp;V)</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>帮助(&amp;H)</translation>
    </message>
    <message>
        <source>New conversation</source>
        <translation>新对话</translation>
    </message>
    <message>
        <source>Add files…</source>
        <translation>添加文件…</translation>
    </message>
    <message>
        <source>Add a folder…</source>
        <translation>添加文件夹…</translation>
    </message>
    <message>
        <source>Settings…</source>
        <translation>设置…</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>退出</translation>
    </message>
    <message>
        <source>Stop this answer</source>
        <translation>停止这个回答</translation>
    </message>
    <message>
        <source>Write a question</source>
        <translation>写一个问题</translation>
    </message>
    <message>
        <source>Next pane</source>
        <translation>下一个窗格</translation>
    </message>
    <message>
        <source>Conversations and library</source>
        <translation>对话与资料库</translation>
    </message>
    <message>
        <source>Steps and sources</source>
        <translation>步骤与来源</translation>
    </message>
    <message>
        <source>Next source</source>
        <translation>下一个来源</translation>
    </message>
    <message>
        <source>Previous source</source>
        <translation>上一个来源</translation>
    </message>
    <message>
        <source>About Lamplight</source>
        <translation>关于 Lamplight</translation>
    </message>
</context>
<context>
    <name>PathEditor</name>
    <message>
        <source>Choose a file…</source>
        <translation>选择文件…</translation>
    </message>
    <message>
        <source>Choose a folder…</source>
        <translation>选择文件夹…</translation>
    </message>
    <message>
        <source>GGUF models</source>
        <translation>GGUF 模型</translation>
    </message>
</context>
<context>
    <name>ProgressStrip</name>
    <message>
        <source>Waits while a question is answered</source>
        <translation>等待问题回答完毕</translation>
    </message>
    <message>
        <source>Loading the model that searches by meaning</source>
        <translation>正在加载按含义搜索的模型</translation>
    </message>
    <message>
        <source>{speed} files/s</source>
        <translation>每秒 {speed} 个文件</translation>
    </message>
    <message>
        <source>{speed} passages/s</source>
        <translation>每秒 {speed} 个段落</translation>
    </message>
    <message>
        <source>{time} left</source>
        <translation>还需 {time}</translation>
    </message>
    <message>
        <source>Paused. Questions work meanwhile with what is ready.</source>
        <translation>已暂停。您仍可就已就绪的文件提问。</translation>
    </message>
    <message>
        <source>First all files are read, and found by their words. Then their passages are made ready for the search by meaning.</source>
        <translation>先读取所有文件，读完即可按字词搜到；再处理其中的段落，使其也能按含义搜到。</translation>
    </message>
    <message>
        <source>Indexing progress</source>
        <translation>索引进度</translation>
    </message>
    <message>
        <source>Resume indexing</source>
        <translation>继续建立索引</translation>
    </message>
    <message>
        <source>Pause indexing</source>
        <translation>暂停建立索引</translation>
    </message>
    <message>
        <source>{done} of {total} files read</source>
        <translation>已读取 {done} / {total} 个文件</translation>
    </message>
    <message>
        <source>{done} of {total} passages</source>
        <translation>{done} / {total} 个段落</translation>
    </message>
</context>
<context>
    <name>QuestionBox</name>
    <message>
        <source>A question can be restricted to {count} places at most.</source>
        <translation>一个问题最多限定在 {count} 个位置。</translation>
    </message>
    <message>
        <source>Enter sends, Shift+Enter starts a new line, @ names files to search</source>
        <translation>Enter 发送，Shift+Enter 换行，输入 @ 可指定要搜索的文件</translation>
    </message>
    <message>
        <source>This question has {count} characters; at most {limit} can be asked at once. Please shorten it, or add the text as a file.</source>
        <translation>这个问题有 {count} 个字符，一次最多 {limit} 个。请缩短问题，或将文本作为文件添加。</translation>
    </message>
    <message>
        <source>Web off</source>
        <translation>网络：关</translation>
    </message>
    <message>
        <source>Never search the web</source>
        <translation>从不搜索网络</translation>
    </message>
    <message>
        <source>Web: ask first</source>
        <translation>网络：先询问</translation>
    </message>
    <message>
        <source>Ask me before every web search</source>
        <translation>每次搜索网络前先问我</translation>
    </message>
    <message>
        <source>Web on</source>
        <translation>网络：开</translation>
    </message>
    <message>
        <source>Search the web when my files do not say</source>
        <translation>文件中没有提到时搜索网络</translation>
    </message>
    <message>
        <source>Whether the web may be searched when your files do not say</source>
        <translation>文件中没有提到时是否可以搜索网络</translation>
    </message>
    <message>
        <source>Ask</source>
        <translation>提问</translation>
    </message>
    <message>
        <source>Send the question</source>
        <translation>发送问题</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Stop this answer (Esc)</source>
        <translation>停止这个回答 (Esc)</translation>
    </message>
    <message>
        <source>Stop this answer</source>
        <translation>停止这个回答</translation>
    </message>
    <message>
        <source>Ask about your files…</source>
        <translation>就您的文件提问…</translation>
    </message>
    <message>
        <source>Question</source>
        <translation>问题</translation>
    </message>
</context>
<context>
    <name>QuestionBubble</name>
    <message>
        <source>Your question</source>
        <translation>您的问题</translation>
    </message>
</context>
<context>
    <name>ScopeChips</name>
    <message>
        <source>Only in:</source>
        <translation>仅在：</translation>
    </message>
    <message>
        <source>Only:</source>
        <translation>仅限：</translation>
    </message>
    <message>
        <source>A web search is not restricted by this.</source>
        <translation>联网搜索不受此限制。</translation>
    </message>
    <message>
        <source>Press to search everywhere again</source>
        <translation>按下可重新搜索全部文件</translation>
    </message>
    <message>
        <source>Restricted to {name}. Press to remove the restriction.</source>
        <translation>已限定为 {name}。按下可取消限定。</translation>
    </message>
</context>
<context>
    <name>SettingChecks</name>
    <message>
        <source>This is a folder. Choose the .gguf file in it.</source>
        <translation>这是一个文件夹。请选择其中的 .gguf 文件。</translation>
    </message>
    <message>
        <source>There is no file here.</source>
        <translation>这里没有文件。</translation>
    </message>
    <message>
        <source>This is not a .gguf file.</source>
        <translation>这不是 .gguf 文件。</translation>
    </message>
    <message>
        <source>There is no folder here.</source>
        <translation>这里没有文件夹。</translation>
    </message>
    <message>
        <source>This folder is not a sentence-transformers model: it has no modules.json.</source>
        <translation>这个文件夹不是 sentence-transformers 模型：其中没有 modules.json。</translation>
    </message>
    <message>
        <source>This is neither a model&apos;s name nor a place on this computer.</source>
        <translation>这既不是模型名称，也不是这台电脑上的位置。</translation>
    </message>
    <message>
        <source>This is not a web address. One looks like http://127.0.0.1:8080/html.</source>
        <translation>这不是网址。网址的样子如 http://127.0.0.1:8080/html。</translation>
    </message>
</context>
<context>
    <name>SettingsDialog</name>
    <message>
        <source>This value cannot be used.</source>
        <translation>这个值不能使用。</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Sections</source>
        <translation>分类</translation>
    </message>
    <message>
        <source>OK</source>
        <translation>确定</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Reset to defaults</source>
        <translation>恢复默认值</translation>
    </message>
</context>
<context>
    <name>SourcePlace</name>
    <message>
        <source>line {line}</source>
        <translation>第 {line} 行</translation>
    </message>
</context>
<context>
    <name>SourceRow</name>
    <message>
        <source>Source {n}: {title}, {place}</source>
        <translation>来源 {n}：{title}，{place}</translation>
    </message>
    <message>
        <source>Closest passage {n}: {title}, {place}</source>
        <translation>最接近的段落 {n}：{title}，{place}</translation>
    </message>
</context>
<context>
    <name>SourceViewer</name>
    <message>
        <source>Back</source>
        <translation>返回</translation>
    </message>
    <message>
        <source>Back to steps and sources</source>
        <translation>返回步骤与来源</translation>
    </message>
    <message>
        <source>Previous source</source>
        <translation>上一个来源</translation>
    </message>
    <message>
        <source>Previous source (Shift+F3)</source>
        <translation>上一个来源 (Shift+F3)</translation>
    </message>
    <message>
        <source>Next source</source>
        <translation>下一个来源</translation>
    </message>
    <message>
        <source>Next source (F3)</source>
        <translation>下一个来源 (F3)</translation>
    </message>
    <message>
        <source>Text of the file</source>
        <translation>文件正文</translation>
    </message>
</context>
<context>
    <name>StepWords</name>
    <message>
        <source>Understanding the question</source>
        <translation>正在理解问题</translation>
    </message>
    <message>
        <source>Deciding where to look</source>
        <translation>正在决定去哪里找</translation>
    </message>
    <message>
        <source>Answering without files</source>
        <translation>正在直接回答</translation>
    </message>
    <message>
        <source>Planning what to look up</source>
        <translation>正在计划要查什么</translation>
    </message>
    <message>
        <source>Searching your files</source>
        <translation>正在搜索您的文件</translation>
    </message>
    <message>
        <source>Deciding what to do next</source>
        <translation>正在决定下一步</translation>
    </message>
    <message>
        <source>Checking what was found</source>
        <translation>正在检查找到的内容</translation>
    </message>
    <message>
        <source>Considering another lookup</source>
        <translation>正在考虑是否再查找一次</translation>
    </message>
    <message>
        <source>Searching the web</source>
        <translation>正在搜索网络</translation>
    </message>
    <message>
        <source>Writing the answer</source>
        <translation>正在撰写回答</translation>
    </message>
    <message>
        <source>Checking the answer</source>
        <translation>正在检查回答</translation>
    </message>
    <message>
        <source>Saying what is missing</source>
        <translation>正在说明缺少什么</translation>
    </message>
    <message>
        <source>Understood the question</source>
        <translation>理解了问题</translation>
    </message>
    <message>
        <source>Decided where to look</source>
        <translation>决定了去哪里找</translation>
    </message>
    <message>
        <source>Answered without files</source>
        <translation>直接作了回答</translation>
    </message>
    <message>
        <source>Planned what to look up</source>
        <translation>计划了要查什么</translation>
    </message>
    <message>
        <source>Searched your files</source>
        <translation>搜索了您的文件</translation>
    </message>
    <message>
        <source>Decided what to do next</source>
        <translation>决定了下一步</translation>
    </message>
    <message>
        <source>Checked what was found</source>
        <translation>检查了找到的内容</translation>
    </message>
    <message>
        <source>Considered another lookup</source>
        <translation>考虑了是否再查找一次</translation>
    </message>
    <message>
        <source>Searched the web</source>
        <translation>搜索了网络</translation>
    </message>
    <message>
        <source>Wrote the answer</source>
        <translation>写好了回答</translation>
    </message>
    <message>
        <source>Checked the answer</source>
        <translation>检查了回答</translation>
    </message>
    <message>
        <source>Your files do not say</source>
        <translation>您的文件中没有提到</translation>
    </message>
    <message>
        <source>{seconds} s</source>
        <translation>{seconds} 秒</translation>
    </message>
    <message>
        <source> about {seconds} s</source>
        <translation> 约 {seconds} 秒</translation>
    </message>
    <message>
        <source>“{text}”</source>
        <translation>“{text}”</translation>
    </message>
    <message>
        <source>No file is needed for this</source>
        <translation>这个问题不需要文件</translation>
    </message>
    <message>
        <source>In your files</source>
        <translation>在您的文件中</translation>
    </message>
    <message>
        <source>On the web</source>
        <translation>在网络上</translation>
    </message>
    <message>
        <source>It can be calculated</source>
        <translation>可以直接计算得出</translation>
    </message>
    <message>
        <source>It is a matter of general knowledge or of writing</source>
        <translation>属于常识或写作类问题</translation>
    </message>
    <message>
        <source>You named where to search</source>
        <translation>您指定了搜索的位置</translation>
    </message>
    <message>
        <source>Needs your files: {share}</source>
        <translation>需要查您的文件：{share}</translation>
    </message>
    <message>
        <source>Takes several lookups: {share}</source>
        <translation>需要分几次查找：{share}</translation>
    </message>
    <message>
        <source>Found nothing new</source>
        <translation>没有找到新内容</translation>
    </message>
    <message>
        <source>Found 1 passage</source>
        <translation>找到 1 个段落</translation>
    </message>
    <message>
        <source>Found {count} passages</source>
        <translation>找到 {count} 个段落</translation>
    </message>
    <message>
        <source>The search failed</source>
        <translation>搜索失败</translation>
    </message>
    <message>
        <source>Learned: {answer}</source>
        <translation>得知：{answer}</translation>
    </message>
    <message>
        <source>Search on</source>
        <translation>继续搜索</translation>
    </message>
    <message>
        <source>Enough searched</source>
        <translation>搜索已足够</translation>
    </message>
    <message>
        <source>Nothing is missing: {share}</source>
        <translation>资料已齐全：{share}</translation>
    </message>
    <message>
        <source>Missing: {what}</source>
        <translation>缺少：{what}</translation>
    </message>
    <message>
        <source>The answer is stated: {share}</source>
        <translation>答案已写明：{share}</translation>
    </message>
    <message>
        <source>Enough to answer</source>
        <translation>足以回答</translation>
    </message>
    <message>
        <source>Not enough to answer completely</source>
        <translation>不足以完整回答</translation>
    </message>
    <message>
        <source>Judged good: {share}</source>
        <translation>评判为良好：{share}</translation>
    </message>
    <message>
        <source>Doubtful parts: {count}</source>
        <translation>存疑之处：{count}</translation>
    </message>
    <message>
        <source>Found 1 page</source>
        <translation>找到 1 个网页</translation>
    </message>
    <message>
        <source>Found {count} pages</source>
        <translation>找到 {count} 个网页</translation>
    </message>
</context>
<context>
    <name>SwitchEditor</name>
    <message>
        <source>Use it</source>
        <translation>使用</translation>
    </message>
</context>
<context>
    <name>TextEditor</name>
    <message>
        <source>Automatic</source>
        <translation>自动</translation>
    </message>
</context>
<context>
    <name>TracePanel</name>
    <message>
        <source>How this answer was made</source>
        <translation>这个回答是怎样得出的</translation>
    </message>
    <message>
        <source>Ask something: every step appears here as it happens.</source>
        <translation>提个问题吧：每一步都会在这里实时显示。</translation>
    </message>
    <message>
        <source>Ask as I typed it</source>
        <translation>按原话再问</translation>
    </message>
    <message>
        <source>Asks again, word for word: “{question}”</source>
        <translation>一字不改地再问一次：“{question}”</translation>
    </message>
    <message>
        <source>Sources</source>
        <translation>来源</translation>
    </message>
    <message>
        <source>Closest passages</source>
        <translation>最接近的段落</translation>
    </message>
    <message>
        <source>This answer names no source.</source>
        <translation>这个回答没有列出来源。</translation>
    </message>
    <message>
        <source>No passage comes close.</source>
        <translation>没有接近的段落。</translation>
    </message>
    <message>
        <source>Steps and sources</source>
        <translation>步骤与来源</translation>
    </message>
    <message>
        <source>{seconds} in all</source>
        <translation>共 {seconds}</translation>
    </message>
</context>
<context>
    <name>Transcript</name>
    <message>
        <source>Show earlier questions</source>
        <translation>显示更早的问题</translation>
    </message>
    <message>
        <source>Conversation</source>
        <translation>对话</translation>
    </message>
</context>
<context>
    <name>WebConsentBar</name>
    <message>
        <source>Your files do not say enough. Search the web?</source>
        <translation>您的文件中的内容不够。要搜索网络吗？</translation>
    </message>
    <message>
        <source>Only these words are sent to the search engine. You can change them first. Nothing from your files is sent.</source>
        <translation>只会把这些词发送给搜索引擎，发送前可以修改。不会发送文件中的任何内容。</translation>
    </message>
    <message>
        <source>Words to send to the search engine</source>
        <translation>要发送给搜索引擎的词</translation>
    </message>
    <message>
        <source>Don&apos;t send</source>
        <translation>不发送</translation>
    </message>
    <message>
        <source>Send once</source>
        <translation>发送一次</translation>
    </message>
</context>
<context>
    <name>WelcomeView</name>
    <message>
        <source>Add files…</source>
        <translation>添加文件…</translation>
    </message>
    <message>
        <source>Add a folder…</source>
        <translation>添加文件夹…</translation>
    </message>
    <message>
        <source>Try the sample library</source>
        <translation>试试示例资料库</translation>
    </message>
    <message>
        <source>Drag files or folders here</source>
        <translation>将文件或文件夹拖到这里</translation>
    </message>
    <message>
        <source>Everything happens on this computer and works without the internet. Your files are read, never changed, moved or sent.</source>
        <translation>一切都在这台电脑上完成，无需联网。文件只会被读取，绝不会被修改、移动或发送。</translation>
    </message>
    <message>
        <source>For example</source>
        <translation>例如</translation>
    </message>
    <message>
        <source>What would you like to know?</source>
        <translation>您想知道什么？</translation>
    </message>
    <message>
        <source>1 file is ready.</source>
        <translation>1 个文件已就绪。</translation>
    </message>
    <message>
        <source>{count} files are ready.</source>
        <translation>{count} 个文件已就绪。</translation>
    </message>
    <message>
        <source>Every answer shows where it comes from.</source>
        <translation>每个回答都会标明出处。</translation>
    </message>
    <message>
        <source>Ask your own files</source>
        <translation>向自己的文件提问</translation>
    </message>
    <message>
        <source>Add documents, notes, code or tables, ask in your own words, and check every answer against the passage it comes from.</source>
        <translation>添加文档、笔记、代码或表格，用自己的话提问，并对照原文核实每个回答。</translation>
    </message>
    <message>
        <source>What does “{title}” say?</source>
        <translation>《{title}》讲了什么？</translation>
    </message>
</context>
<context>
    <name>WindowApp</name>
    <message>
        <source>Add files</source>
        <translation>添加文件</translation>
    </message>
    <message>
        <source>Add a folder</source>
        <translation>添加文件夹</translation>
    </message>
    <message>
        <source>Some settings could not be read and are back at their defaults.</source>
        <translation>有些设置无法读取，已恢复为默认值。</translation>
    </message>
    <message>
        <source>{wanted} could not be fetched, so the smaller {installed} answers.</source>
        <translation>未能获取 {wanted}，因此由较小的 {installed} 来回答。</translation>
    </message>
    <message>
        <source>Its answers are simpler. To fetch the larger one, run: python3 lamplight.py models install {id}</source>
        <translation>它的回答会简单一些。要获取较大的模型，请运行：python3 lamplight.py models install {id}</translation>
    </message>
</context>
<context>
    <name>errors</name>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Open settings</source>
        <translation>打开设置</translation>
    </message>
    <message>
        <source>Choose a model</source>
        <translation>选择模型</translation>
    </message>
    <message>
        <source>Rebuild the index</source>
        <translation>重建索引</translation>
    </message>
    <message>
        <source>Add files</source>
        <translation>添加文件</translation>
    </message>
    <message>
        <source>Edit the question</source>
        <translation>修改问题</translation>
    </message>
    <message>
        <source>Something went wrong that Lamplight has no words for.</source>
        <translation>出现了 Lamplight 未能识别的问题。</translation>
    </message>
    <message>
        <source>Try again. If it happens again, the log in the data folder says more.</source>
        <translation>请重试。如果再次发生，数据文件夹中的日志有更多说明。</translation>
    </message>
    <message>
        <source>Stopped.</source>
        <translation>已停止。</translation>
    </message>
    <message>
        <source>Nothing is lost. Ask again whenever you like.</source>
        <translation>没有丢失任何内容，您可以随时重新提问。</translation>
    </message>
    <message>
        <source>The model is not on this computer.</source>
        <translation>这台电脑上没有该模型。</translation>
    </message>
    <message>
        <source>Choose another model in the settings, or put the file back where it was.</source>
        <translation>请在设置中选择其他模型，或将文件放回原处。</translation>
    </message>
    <message>
        <source>This file is not a model that Lamplight can run.</source>
        <translation>这个文件不是 Lamplight 能运行的模型。</translation>
    </message>
    <message>
        <source>Choose a GGUF chat model or a sentence-transformers folder in the settings. A download that broke off must be fetched again.</source>
        <translation>请在设置中选择 GGUF 对话模型或 sentence-transformers 文件夹。中断的下载需要重新获取。</translation>
    </message>
    <message>
        <source>There is not enough free memory for this model.</source>
        <translation>可用内存不足以运行这个模型。</translation>
    </message>
    <message>
        <source>Close other programs, or choose a smaller model or a smaller context size in the settings.</source>
        <translation>请关闭其他程序，或在设置中选择更小的模型或更小的上下文长度。</translation>
    </message>
    <message>
        <source>This is too long for the model to read at once.</source>
        <translation>内容太长，模型无法一次读完。</translation>
    </message>
    <message>
        <source>Shorten the question, or raise the context size in the settings.</source>
        <translation>请缩短问题，或在设置中调大上下文长度。</translation>
    </message>
    <message>
        <source>The model gave a reply that cannot be used.</source>
        <translation>模型给出的回复无法使用。</translation>
    </message>
    <message>
        <source>Ask again in other words, or choose a larger model in the settings.</source>
        <translation>请换个说法再问，或在设置中选择更大的模型。</translation>
    </message>
    <message>
        <source>The model could not be told what form its reply must have.</source>
        <translation>无法让模型按规定的格式回复。</translation>
    </message>
    <message>
        <source>This is a mistake in Lamplight, not yours. Choose another chat model in the settings until it is mended.</source>
        <translation>这是 Lamplight 的错误，与您无关。修复之前，请在设置中选择其他对话模型。</translation>
    </message>
    <message>
        <source>The index of your files is damaged.</source>
        <translation>文件索引已损坏。</translation>
    </message>
    <message>
        <source>Rebuild it: your files are untouched and are read again. Conversations are kept.</source>
        <translation>请重建索引：您的文件没有受影响，会重新读取。对话会保留。</translation>
    </message>
    <message>
        <source>The file that holds your conversations is damaged.</source>
        <translation>保存对话的文件已损坏。</translation>
    </message>
    <message>
        <source>Nothing has been deleted. Put a backup of user.db into the data folder, or move the file away to start afresh.</source>
        <translation>没有删除任何内容。请将 user.db 的备份放入数据文件夹，或移走该文件以重新开始。</translation>
    </message>
    <message>
        <source>The disk is full.</source>
        <translation>磁盘已满。</translation>
    </message>
    <message>
        <source>Make some room, then try again. What was finished before is kept.</source>
        <translation>请腾出一些空间，然后重试。之前完成的部分会保留。</translation>
    </message>
    <message>
        <source>There is nothing by that name.</source>
        <translation>没有这个名称的内容。</translation>
    </message>
    <message>
        <source>Check the name: it may have been moved, renamed or deleted.</source>
        <translation>请检查名称：它可能已被移动、重命名或删除。</translation>
    </message>
    <message>
        <source>This cannot be done as asked.</source>
        <translation>无法按要求执行。</translation>
    </message>
    <message>
        <source>Change what you entered and try again.</source>
        <translation>请修改输入的内容，然后重试。</translation>
    </message>
    <message>
        <source>The question is empty.</source>
        <translation>问题是空的。</translation>
    </message>
    <message>
        <source>Type what you want to know.</source>
        <translation>请输入您想知道的内容。</translation>
    </message>
    <message>
        <source>The question is too long.</source>
        <translation>问题太长。</translation>
    </message>
    <message>
        <source>Shorten it, or add the long text as a file and ask about that.</source>
        <translation>请缩短问题，或将长文本作为文件添加后再提问。</translation>
    </message>
    <message>
        <source>There is no encoding of that name.</source>
        <translation>没有叫这个名字的编码。</translation>
    </message>
    <message>
        <source>Name one such as utf-8, gb18030, big5, shift_jis or windows-1252, or auto.</source>
        <translation>请指定 utf-8、gb18030、big5、shift_jis、windows-1252 之类的编码，或指定 auto。</translation>
    </message>
    <message>
        <source>This file says itself how it is to be read.</source>
        <translation>这类文件自己就写明了该怎样读取。</translation>
    </message>
    <message>
        <source>Only for text and web pages can an encoding be chosen.</source>
        <translation>只有文本和网页可以选择编码。</translation>
    </message>
    <message>
        <source>There is no file in the library yet.</source>
        <translation>资料库中还没有文件。</translation>
    </message>
    <message>
        <source>Add files or a folder first.</source>
        <translation>请先添加文件或文件夹。</translation>
    </message>
    <message>
        <source>What the question is restricted to is no longer in the library.</source>
        <translation>问题所限定的内容已不在资料库中。</translation>
    </message>
    <message>
        <source>Add it again, or ask without the restriction.</source>
        <translation>请您重新添加，或取消限定后再提问。</translation>
    </message>
    <message>
        <source>There is nothing to search in what the question is restricted to.</source>
        <translation>问题所限定的范围内没有可搜索的内容。</translation>
    </message>
    <message>
        <source>Wait until its files are ready, or ask without the restriction.</source>
        <translation>请您等其中的文件就绪，或取消限定后再提问。</translation>
    </message>
    <message>
        <source>The folder for Lamplight&apos;s own files cannot be used.</source>
        <translation>Lamplight 自己的数据文件夹无法使用。</translation>
    </message>
    <message>
        <source>Check that it is a folder you may write to, or start Lamplight with another one.</source>
        <translation>请确认它是您可以写入的文件夹，或用其他文件夹启动 Lamplight。</translation>
    </message>
    <message>
        <source>A file of Lamplight&apos;s own cannot be written.</source>
        <translation>无法写入 Lamplight 自己的文件。</translation>
    </message>
    <message>
        <source>Check that you may write to the data folder, then try again.</source>
        <translation>请确认您可以写入数据文件夹，然后重试。</translation>
    </message>
    <message>
        <source>Lamplight&apos;s data was written by a newer version of Lamplight.</source>
        <translation>数据由更新版本的 Lamplight 写入。</translation>
    </message>
    <message>
        <source>Update Lamplight to use it. Nothing has been changed.</source>
        <translation>请更新 Lamplight 后使用。没有更改任何内容。</translation>
    </message>
    <message>
        <source>The model could not be installed.</source>
        <translation>无法安装模型。</translation>
    </message>
    <message>
        <source>Check the network connection and the free disk space, then try again: the download goes on where it stopped.</source>
        <translation>请检查网络连接和磁盘剩余空间，然后重试：下载会从中断处继续。</translation>
    </message>
    <message>
        <source>The model stopped unexpectedly.</source>
        <translation>模型意外停止。</translation>
    </message>
    <message>
        <source>Ask again: it is started anew. If it keeps stopping, choose a smaller model in the settings.</source>
        <translation>请重新提问：模型会重新启动。如果仍然停止，请在设置中选择更小的模型。</translation>
    </message>
    <message>
        <source>The model did not answer in time and was stopped.</source>
        <translation>模型没有及时回应，已被停止。</translation>
    </message>
    <message>
        <source>Try again. If this computer is busy, close other programs first.</source>
        <translation>请重试。如果电脑正忙，请先关闭其他程序。</translation>
    </message>
    <message>
        <source>Another program is using Lamplight&apos;s data.</source>
        <translation>另一个程序正在使用 Lamplight 的数据。</translation>
    </message>
    <message>
        <source>Wait for it to finish or close it, then try again.</source>
        <translation>请等它完成或将其关闭，然后重试。</translation>
    </message>
    <message>
        <source>The web search failed: this computer is offline.</source>
        <translation>网络搜索失败：这台电脑处于离线状态。</translation>
    </message>
    <message>
        <source>Connect to the network and ask again, or use the answer from your files.</source>
        <translation>请连接网络后重新提问，或使用来自文件的回答。</translation>
    </message>
    <message>
        <source>The web search failed: the search engine asks for a pause.</source>
        <translation>网络搜索失败：搜索引擎要求稍候。</translation>
    </message>
    <message>
        <source>Wait a few minutes and ask again.</source>
        <translation>请等几分钟后重新提问。</translation>
    </message>
    <message>
        <source>The web search failed: there was no reply in time.</source>
        <translation>网络搜索失败：没有及时收到回复。</translation>
    </message>
    <message>
        <source>Check the network connection and ask again.</source>
        <translation>请检查网络连接，然后重新提问。</translation>
    </message>
    <message>
        <source>The web search failed: the reply could not be read.</source>
        <translation>网络搜索失败：无法读取回复。</translation>
    </message>
    <message>
        <source>Ask again later, or set another search server in the settings.</source>
        <translation>请稍后重新提问，或在设置中指定其他搜索服务器。</translation>
    </message>
    <message>
        <source>The web was not searched, because you said no.</source>
        <translation>按您的选择，没有搜索网络。</translation>
    </message>
    <message>
        <source>Nothing was sent. Ask again if you change your mind.</source>
        <translation>没有发送任何内容。如果改变主意，请重新提问。</translation>
    </message>
    <message>
        <source>The web was not searched: the question has no words that may leave this computer.</source>
        <translation>没有搜索网络：问题中没有可以离开这台电脑的词。</translation>
    </message>
    <message>
        <source>Ask in words that name what you look for, without addresses, secrets or file paths.</source>
        <translation>请直接说出要找的事物，不要包含地址、机密或文件路径。</translation>
    </message>
    <message>
        <source>Waits for the new embedding model.</source>
        <translation>等待新的嵌入模型。</translation>
    </message>
    <message>
        <source>Nothing to do. Until all files are done, the model before finds it.</source>
        <translation>您无需操作。在所有文件处理完之前，仍由原来的模型查找它。</translation>
    </message>
    <message>
        <source>The file is empty.</source>
        <translation>文件是空的。</translation>
    </message>
    <message>
        <source>Nothing to do. When it has text, it is read by itself.</source>
        <translation>无需处理。有了文字后会自动读取。</translation>
    </message>
    <message>
        <source>The file does not contain text.</source>
        <translation>文件中不是文本内容。</translation>
    </message>
    <message>
        <source>The file is too large.</source>
        <translation>文件太大。</translation>
    </message>
    <message>
        <source>At most 50 MB, or 20 million characters, are read of one file. Split it into smaller files, then add those.</source>
        <translation>每个文件最多读取 50 MB 或 2000 万个字符。请将其拆分成较小的文件再添加。</translation>
    </message>
    <message>
        <source>This is a link, a pipe or a device, not an ordinary file.</source>
        <translation>这是链接、管道或设备，不是普通文件。</translation>
    </message>
    <message>
        <source>If it is a link, add the file or folder it leads to. In the others there is nothing to read.</source>
        <translation>如果是链接，请添加它所指向的文件或文件夹；其余的没有可读的内容。</translation>
    </message>
    <message>
        <source>If there is text in it, save that as .docx, .pdf, .xlsx or .txt, or unpack the archive, and add what you get.</source>
        <translation>如果其中有文字，请另存为 .docx、.pdf、.xlsx 或 .txt；如果是压缩包，请先解压。然后添加得到的文件。</translation>
    </message>
    <message>
        <source>Split it into smaller files, then add those.</source>
        <translation>请将其拆分成较小的文件再添加。</translation>
    </message>
    <message>
        <source>The file cannot be opened.</source>
        <translation>无法打开文件。</translation>
    </message>
    <message>
        <source>Check that you are allowed to read it and that no other program holds it, then try again.</source>
        <translation>请确认您有读取权限，且没有被其他程序占用，然后重试。</translation>
    </message>
    <message>
        <source>The file is gone.</source>
        <translation>文件不见了。</translation>
    </message>
    <message>
        <source>Put it back and try again, or remove it from the library.</source>
        <translation>请将其放回原处后重试，或从资料库中移除。</translation>
    </message>
    <message>
        <source>Files of this kind cannot be read yet.</source>
        <translation>暂时无法读取这种文件。</translation>
    </message>
    <message>
        <source>No text was found in the file.</source>
        <translation>文件中没有找到文字。</translation>
    </message>
    <message>
        <source>Look whether it opens elsewhere, and save its text as .txt or .md.</source>
        <translation>请看看用其他程序能否打开，并将其中的文字另存为 .txt 或 .md。</translation>
    </message>
    <message>
        <source>Reading the file took too long.</source>
        <translation>读取文件耗时过长。</translation>
    </message>
    <message>
        <source>Try again, or split it into smaller files.</source>
        <translation>请重试，或将其拆分成较小的文件。</translation>
    </message>
    <message>
        <source>The embedding model can make nothing of the text of this file.</source>
        <translation>嵌入模型处理不了这个文件的文本。</translation>
    </message>
    <message>
        <source>Try again. If it stays so, choose another embedding model in the settings.</source>
        <translation>请重试。如果仍然如此，请在设置中选择另一个嵌入模型。</translation>
    </message>
    <message>
        <source>The file broke the program part that reads files.</source>
        <translation>这个文件使读取程序崩溃了。</translation>
    </message>
    <message>
        <source>The other files are not affected. Save a fresh copy of it, then try again.</source>
        <translation>其他文件不受影响。请重新保存一份副本，然后重试。</translation>
    </message>
    <message>
        <source>Your files were searched by words only: the search by meaning failed.</source>
        <translation>只按字词搜索了您的文件：按语义搜索失败。</translation>
    </message>
    <message>
        <source>Passages that say it in other words may be missing. Check the embedding model in the settings.</source>
        <translation>换了说法的段落可能会遗漏。请检查设置中的嵌入模型。</translation>
    </message>
    <message>
        <source>Another embedding model is taking over, so most of your files were searched by words only.</source>
        <translation>正在换用另一个嵌入模型，因此您的大部分文件仅按字词搜索。</translation>
    </message>
    <message>
        <source>The model before cannot be used any more. Wait until all files are indexed by the new one.</source>
        <translation>原来的模型已无法使用。请您等待新模型为所有文件建立索引。</translation>
    </message>
    <message>
        <source>Your files were searched by meaning only: the search by words failed.</source>
        <translation>只按语义搜索了您的文件：按字词搜索失败。</translation>
    </message>
    <message>
        <source>Exact names and numbers may be missing. Rebuild the index if this stays.</source>
        <translation>精确的名称和数字可能会遗漏。如果问题持续，请重建索引。</translation>
    </message>
    <message>
        <source>A search in your files failed.</source>
        <translation>在您的文件中的一次搜索失败了。</translation>
    </message>
    <message>
        <source>The answer may lack a part. Ask again; if it fails again, rebuild the index.</source>
        <translation>回答可能不完整。请重新提问；如果再次失败，请重建索引。</translation>
    </message>
    <message>
        <source>What the model itself knows could not be added.</source>
        <translation>无法补充模型自身的知识。</translation>
    </message>
    <message>
        <source>Ask again if you want it.</source>
        <translation>如果需要，请重新提问。</translation>
    </message>
    <message>
        <source>This chat model was never calibrated, so in doubt your files are searched.</source>
        <translation>这个对话模型没有校准过，拿不准时会查找您的文件。</translation>
    </message>
    <message>
        <source>Run this once, it takes a few minutes: lamplight models calibrate.</source>
        <translation>运行一次即可，需要几分钟：lamplight models calibrate。</translation>
    </message>
    <message>
        <source>The model could not say whether to look further, so the next planned lookup was made.</source>
        <translation>模型无法判断是否需要继续查找，因此按计划进行了下一次查找。</translation>
    </message>
    <message>
        <source>The model could not say how to answer, so your files were searched to be safe.</source>
        <translation>模型未能判断如何回答，为稳妥起见搜索了您的文件。</translation>
    </message>
    <message>
        <source>If it is text, choose its encoding. Otherwise save it as plain text, then try again.</source>
        <translation>如果它是文本，请选择它的编码；否则请将它另存为纯文本，然后重试。</translation>
    </message>
    <message>
        <source>The file is not text in the encoding that was chosen for it.</source>
        <translation>按您为它选定的编码来读，这个文件不是文本。</translation>
    </message>
    <message>
        <source>Choose another encoding, or let Lamplight find it: “Automatic”, on the command line auto.</source>
        <translation>请选择另一种编码，或让 Lamplight 自行识别：选“自动”，在命令行中用 auto。</translation>
    </message>
    <message>
        <source>The PDF file holds pictures of its pages, but no text.</source>
        <translation>该 PDF 文件只有页面图片，没有文字。</translation>
    </message>
    <message>
        <source>Have a program for text recognition (OCR) add the text, then add the file it makes.</source>
        <translation>请用文字识别（OCR）程序加上文字，然后添加生成的文件。</translation>
    </message>
    <message>
        <source>The file is protected by a password.</source>
        <translation>该文件受密码保护。</translation>
    </message>
    <message>
        <source>Open it with its password elsewhere and save a copy without one, then add that copy.</source>
        <translation>请用密码在其他程序中打开，另存为没有密码的副本，然后添加该副本。</translation>
    </message>
    <message>
        <source>The file is damaged, or is not what its name says.</source>
        <translation>该文件已损坏，或内容与其名称不符。</translation>
    </message>
    <message>
        <source>Open it in the program it was made with and save a fresh copy, then add that copy.</source>
        <translation>请在制作它的程序中打开并另存一份，然后添加新的副本。</translation>
    </message>
    <message>
        <source>Unpacked, the file is far larger than a document should be.</source>
        <translation>该文件解压后远远超过文档应有的大小。</translation>
    </message>
    <message>
        <source>If you trust the file, save its text in several smaller files and add those.</source>
        <translation>如果您信任该文件，请将其文字另存为几个较小的文件，然后添加这些文件。</translation>
    </message>
    <message>
        <source>Reading the file takes more memory than one file may have.</source>
        <translation>读取该文件所需的内存超过了单个文件的限额。</translation>
    </message>
    <message>
        <source>The program part that reads files of this kind does not start.</source>
        <translation>读取此类文件的程序部分无法启动。</translation>
    </message>
    <message>
        <source>Close other programs and try again. If it stays so, start Lamplight anew with python3 lamplight.py.</source>
        <translation>请关闭其他程序后重试。如果仍然如此，请用 python3 lamplight.py 重新启动 Lamplight。</translation>
    </message>
    <message>
        <source>Nothing to do.</source>
        <translation>无需处理。</translation>
    </message>
    <message>
        <source>The question could not be divided, so it was looked up as a whole.</source>
        <translation>问题无法拆分，因此作为整体查找。</translation>
    </message>
    <message>
        <source>If the answer lacks a part, ask for that part alone.</source>
        <translation>如果回答缺少某一部分，请单独就那部分提问。</translation>
    </message>
    <message>
        <source>The model could not read a short answer from the passages, so a later lookup may be missing.</source>
        <translation>模型没能从段落中读出简短的回答，因此后面的一次查找可能没有进行。</translation>
    </message>
    <message>
        <source>It could not be checked whether the passages are enough.</source>
        <translation>无法检查找到的段落是否足够。</translation>
    </message>
    <message>
        <source>Compare the answer with its sources.</source>
        <translation>请将回答与来源对照。</translation>
    </message>
    <message>
        <source>The model could not say what else to look up.</source>
        <translation>模型未能说出还需要查找什么。</translation>
    </message>
    <message>
        <source>The finished answer could not be judged.</source>
        <translation>未能评判写好的回答。</translation>
    </message>
    <message>
        <source>The question was searched as you wrote it, without the conversation before it.</source>
        <translation>按您写的原样搜索了问题，没有结合之前的对话。</translation>
    </message>
    <message>
        <source>If the answer misses the point, name everything in the question itself.</source>
        <translation>如果答非所问，请在问题中把要点全部写明。</translation>
    </message>
    <message>
        <source>The model began to repeat itself and was stopped.</source>
        <translation>模型开始重复内容，已被停止。</translation>
    </message>
    <message>
        <source>The answer was cut off: it reached its greatest length.</source>
        <translation>回答被截断：已达到最大长度。</translation>
    </message>
    <message>
        <source>Ask for the rest, or ask a narrower question.</source>
        <translation>请继续询问其余部分，或缩小问题范围。</translation>
    </message>
    <message>
        <source>The search stopped at the greatest number of lookups.</source>
        <translation>查找次数已达上限，搜索停止。</translation>
    </message>
    <message>
        <source>Ask a narrower question, or allow more lookups in the settings.</source>
        <translation>请缩小问题范围，或在设置中允许更多查找次数。</translation>
    </message>
    <message>
        <source>The search stopped at the greatest number of model calls.</source>
        <translation>模型调用次数已达上限，搜索停止。</translation>
    </message>
    <message>
        <source>Ask a narrower question, or choose a more thorough way to answer in the settings.</source>
        <translation>请缩小问题范围，或在设置中选择更细致的回答方式。</translation>
    </message>
    <message>
        <source>The search stopped at the greatest amount of text for one question.</source>
        <translation>单个问题的文本量已达上限，搜索停止。</translation>
    </message>
    <message>
        <source>The search stopped because its time was up.</source>
        <translation>时间已到，搜索停止。</translation>
    </message>
    <message>
        <source>The search stopped because it took too many steps.</source>
        <translation>步骤过多，搜索停止。</translation>
    </message>
    <message>
        <source>Ask a narrower question.</source>
        <translation>请缩小问题范围。</translation>
    </message>
</context>
<context>
    <name>pages</name>
    <message>
        <source>p. {page}</source>
        <translation>第 {page} 页</translation>
    </message>
    <message>
        <source>slide {page}</source>
        <translation>第 {page} 张幻灯片</translation>
    </message>
    <message>
        <source>sheet {page}</source>
        <translation>第 {page} 个工作表</translation>
    </message>
    <message>
        <source>part {page}</source>
        <translation>第 {page} 部分</translation>
    </message>
</context>
<context>
    <name>settings</name>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Answers</source>
        <translation>回答</translation>
    </message>
    <message>
        <source>Web</source>
        <translation>网络</translation>
    </message>
    <message>
        <source>Appearance</source>
        <translation>外观</translation>
    </message>
    <message>
        <source>Chat model</source>
        <translation>对话模型</translation>
    </message>
    <message>
        <source>Embedding model</source>
        <translation>嵌入模型</translation>
    </message>
    <message>
        <source>Context size</source>
        <translation>上下文长度</translation>
    </message>
    <message>
        <source>Processor threads</source>
        <translation>处理器线程数</translation>
    </message>
    <message>
        <source>Thoroughness</source>
        <translation>细致程度</translation>
    </message>
    <message>
        <source>The model&apos;s own knowledge</source>
        <translation>模型自身的知识</translation>
    </message>
    <message>
        <source>Lookups per question</source>
        <translation>每个问题的查找次数</translation>
    </message>
    <message>
        <source>Web fallback</source>
        <translation>网络后备</translation>
    </message>
    <message>
        <source>Search server</source>
        <translation>搜索服务器</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>主题</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>语言</translation>
    </message>
    <message>
        <source>Quick</source>
        <translation>快速</translation>
    </message>
    <message>
        <source>Careful</source>
        <translation>细致</translation>
    </message>
    <message>
        <source>Exhaustive</source>
        <translation>详尽</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Ask before every search</source>
        <translation>每次搜索前询问</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation>跟随系统</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <source>English</source>
        <translation>English</translation>
    </message>
    <message>
        <source>简体中文</source>
        <translation>简体中文</translation>
    </message>
    <message>
        <source>Chat model: a catalogue id or a GGUF file. Empty uses the best installed one.</source>
        <translation>对话模型：目录中的名称或一个 GGUF 文件。留空则使用已安装的最佳模型。</translation>
    </message>
    <message>
        <source>Embedding model: a catalogue id or a sentence-transformers folder. Empty uses the best installed one.</source>
        <translation>嵌入模型：目录中的名称或一个 sentence-transformers 文件夹。留空则使用已安装的最佳模型。</translation>
    </message>
    <message>
        <source>Context size in tokens: how much the model can read at once. More needs more memory.</source>
        <translation>上下文长度（词元数）：模型一次能读多少内容。越大越占内存。</translation>
    </message>
    <message>
        <source>Processor threads for the models. 0 uses what the machine has.</source>
        <translation>模型使用的处理器线程数。0 表示使用这台电脑的全部线程。</translation>
    </message>
    <message>
        <source>How much work goes into an answer: quick, careful or exhaustive.</source>
        <translation>为一个回答下多少功夫：快速、细致或详尽。</translation>
    </message>
    <message>
        <source>When your files do not say, add what the model itself knows, plainly marked.</source>
        <translation>文件中没有提到时，补充模型自身所知，并清楚标明。</translation>
    </message>
    <message>
        <source>How many lookups one question may take at most.</source>
        <translation>一个问题最多可以查找多少次。</translation>
    </message>
    <message>
        <source>Web fallback: off, ask before every search, or automatic. Only the question&apos;s words ever leave this computer.</source>
        <translation>网络后备：关闭、每次搜索前询问或自动。只有问题中的词会离开这台电脑。</translation>
    </message>
    <message>
        <source>Address of your own search server that answers as DuckDuckGo&apos;s HTML page does. Empty uses DuckDuckGo.</source>
        <translation>您自己的搜索服务器地址，其回应须与 DuckDuckGo 的 HTML 页面相同。留空则使用 DuckDuckGo。</translation>
    </message>
    <message>
        <source>Light or dark window, or whatever the system uses.</source>
        <translation>浅色或深色窗口，或跟随系统。</translation>
    </message>
    <message>
        <source>Language of the window.</source>
        <translation>窗口的语言。</translation>
    </message>
    <message>
        <source>Which models think and search.</source>
        <translation>由哪些模型思考和搜索。</translation>
    </message>
    <message>
        <source>How questions are answered.</source>
        <translation>如何回答问题。</translation>
    </message>
    <message>
        <source>Whether the web may be asked when the files do not say.</source>
        <translation>文件中没有提到时，是否可以查询网络。</translation>
    </message>
    <message>
        <source>How the window looks.</source>
        <translation>窗口的外观。</translation>
    </message>
</context>
</TS>
