(function) @function.around
(function body: (_) @function.inside)
(section) @class.around
(parameter) @parameter.inside
(operands (_) @parameter.inside)
(comment) @comment.inside
(comment)+ @comment.around
(block_comment) @comment.inside
(block_comment) @comment.around
